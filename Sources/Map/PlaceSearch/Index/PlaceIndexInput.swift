/// The options with which osmium-tool makes the input of ``PlaceIndexWriter`` from an extract.
///
/// There are two steps, of which the second may write into a pipe:
///
///     osmium tags-filter EXTRACT -o FILTERED.osm.pbf -O <filters>
///     osmium export FILTERED.osm.pbf -c CONFIGURATION.json <exportOptions> -o -
///
/// `CONFIGURATION.json` contains ``exportConfiguration``. osmium leaves out objects that it cannot assemble, with a
/// message on standard error; extracts with broken references at their border are suitable.
public enum PlaceIndexInput {
    /// The expressions for `osmium tags-filter`: all objects with a name, and those that are useful without one.
    public static let filters: [String] =
        ["nw/name", "r/boundary=administrative", "r/boundary=postal_code", "r/place", "nwa/addr:housenumber"]
        + Set(
            PlaceCategory.all.filter { !$0.isCuisine }.flatMap(\.tags)
                .compactMap { tag in tag.value.map { "\(tag.key)=\($0)" } }
        )
        .filter { !["building=", "natural=water", "waterway="].contains(where: $0.hasPrefix) }
        .sorted().map { "na/\($0)" }

    /// The options of `osmium export` besides `-c` and `-o`: one feature a line, each with the type and number of its
    /// object.
    public static let exportOptions = ["-f", "geojsonseq", "-u", "type_id", "-x", "print_record_separator=false"]

    /// The content of the file for `osmium export -c`: the tags to export, and those that distinguish lines from areas.
    public static var exportConfiguration: String {
        let keys = Set(keys).union(PlaceCategory.keys)
        func list(_ values: [String]) -> String { "[" + values.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
        let lines = ["highway", "waterway", "railway", "aerialway"]
        let areas =
            PlaceCategory.keys.filter { !lines.contains($0) } + ["addr:housenumber", "area=yes", "highway=pedestrian"]
        return """
            {"linear_tags":\(list(lines)),"area_tags":\(list(Set(areas + ["boundary", "place"]).sorted())),\
            "include_tags":\(list((keys.sorted() + ["name:*"])))}
            """
    }

    /// The tags besides those of categories.
    static let keys = [
        "name", "alt_name", "official_name", "short_name", "old_name", "loc_name", "int_name", "brand", "operator",
        "place",
        "boundary", "admin_level", "population", "capital", "highway", "area", "addr:housenumber", "addr:street",
        "addr:place", "addr:city", "addr:suburb", "addr:postcode", "addr:country", "postal_code", "phone",
        "contact:phone", "website", "contact:website", "url", "opening_hours", "wikidata", "wikipedia", "ISO3166-1",
        "ISO3166-1:alpha2", "country_code", "cuisine", "iata", "icao",
        "diet:vegan", "diet:vegetarian", "diet:halal", "diet:kosher", "wheelchair",
    ]
}
