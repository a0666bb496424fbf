import Glibc

/// The entry of an extract's feature in a place index. A function of the feature alone.
struct PlaceDraft {
    /// The kinds of drafts.
    enum Content {
        case place(FoundPlace.Kind, category: PlaceCategory?, importance: Int)
        case street(importance: Int)
        case house(numbers: [String], street: String)
        case area(level: Int, code: String?)
        /// The area of the postal code that is the draft's name.
        case postalArea
    }

    var content: Content
    var name: String
    /// The other names: those to be searched by word, and those to be matched as a whole.
    var otherNames: [String] = []
    var wholeNames: [String] = []

    /// Returns the drafts of a feature. A hotel with a house number is both a place and a house.
    static func drafts(of feature: GeoJSONFeature) -> [PlaceDraft] {
        let tags = feature.properties
        var drafts: [PlaceDraft] = []
        let name = cleaned(tags["name"] ?? tags["brand"] ?? "")
        if let houses = houses(tags) { drafts.append(houses) }
        if tags["boundary"] == "postal_code", feature.shape == .rings, let code = tags["postal_code"] {
            return [PlaceDraft(content: .postalArea, name: cleaned(code))]
        }
        if tags["boundary"] == "administrative" {
            if feature.shape == .rings, !name.isEmpty, let level = tags["admin_level"].flatMap({ Int($0) }) {
                let code = tags["ISO3166-1:alpha2"] ?? tags["ISO3166-1"] ?? tags["country_code"]
                drafts.append(
                    PlaceDraft(content: .area(level: level, code: code), name: name, otherNames: others(tags)))
            }
            if tags["place"] == nil { return drafts }
        }
        if let (kind, importance) = settlement(tags), !name.isEmpty {
            drafts.append(
                PlaceDraft(
                    content: .place(kind, category: nil, importance: importance), name: name, otherNames: others(tags),
                    wholeNames: cleaned(list: tags["names"])))
            return drafts
        }
        if let highway = tags["highway"], feature.shape != .point, !name.isEmpty,
            !["bus_stop", "platform", "rest_area", "services", "proposed", "construction"].contains(highway)
        {
            drafts.append(
                PlaceDraft(
                    content: .street(importance: streetImportance(highway)), name: name, otherNames: others(tags)))
            return drafts
        }
        guard let (category, isSpecific) = PlaceCategory.of(tags), isSpecific || !name.isEmpty else { return drafts }
        // An operator names a cash machine, but nothing else.
        let shown = name.isEmpty && category.name == "atm" ? cleaned(tags["operator"] ?? "") : name
        let isKnown = tags["wikidata"] != nil || tags["wikipedia"] != nil
        drafts.append(
            PlaceDraft(
                // A gazetteer's entry says how important it is.
                content: .place(
                    .pointOfInterest, category: category,
                    importance: tags["importance"].flatMap { Int($0) } ?? category.importance + (isKnown ? 50 : 0)),
                name: shown, otherNames: others(tags)))
        return drafts
    }

    private static func settlement(_ tags: [String: String]) -> (FoundPlace.Kind, Int)? {
        let people = tags["population"].flatMap { Double($0.filter { $0.isASCII && $0.isNumber }) } ?? 0
        // A million people give an importance of 600.
        let counted = people >= 1 ? Int(100 * log10(people)) : 0
        switch tags["place"] {
        case "country": return (.country, max(counted, 500))
        case "state", "region", "province": return (.region, max(counted, 450))
        case "city": return (.settlement, max(counted, 450))
        case "town": return (.settlement, max(counted, 370))
        case "village", "municipality", "borough": return (.settlement, max(counted, 280))
        case "hamlet": return (.settlement, max(counted, 190))
        case "isolated_dwelling", "farm", "allotments": return (.suburb, max(counted, 110))
        case "suburb", "quarter": return (.suburb, max(min(counted, 420), 260))
        case "neighbourhood": return (.suburb, max(min(counted, 350), 210))
        case "locality", "city_block", "plot": return (.suburb, 100)
        // A gazetteer's entry has a population and nothing more.
        case "populated": return (.settlement, max(counted, 180))
        default: return nil
        }
    }

    private static func streetImportance(_ highway: String) -> Int {
        switch highway {
        case "motorway", "trunk": 200
        case "primary": 190
        case "secondary": 180
        case "tertiary", "pedestrian": 170
        case "residential", "unclassified", "living_street": 160
        default: 110
        }
    }

    private static func houses(_ tags: [String: String]) -> PlaceDraft? {
        guard let number = tags["addr:housenumber"], let street = tags["addr:street"] ?? tags["addr:place"] else {
            return nil
        }
        let numbers = number.split { $0 == ";" || $0 == "," }.map { cleaned(String($0)) }.filter { !$0.isEmpty }
        let name = cleaned(street)
        guard !name.isEmpty, !numbers.isEmpty else { return nil }
        return PlaceDraft(content: .house(numbers: Array(numbers.prefix(50)), street: name), name: name)
    }

    private static func others(_ tags: [String: String]) -> [String] {
        var names: [String] = []
        for (key, value) in tags.sorted(by: { $0.key < $1.key })
        where key.hasPrefix("name:")
            || ["alt_name", "official_name", "short_name", "old_name", "loc_name", "int_name", "iata", "icao"]
                .contains(key)
        {
            names += value.split(separator: ";").map { cleaned(String($0)) }
        }
        return names.filter { !$0.isEmpty }
    }

    private static func cleaned(list: String?) -> [String] {
        list?.split(separator: "\n").map { cleaned(String($0)) }.filter { !$0.isEmpty } ?? []
    }

    /// Returns a text without control characters, with single spaces, limited to the length of names.
    static func cleaned(_ text: String, limit: Int = 200) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                // Some scripts join letters with these two.
                if scalar.value == 0x200C || scalar.value == 0x200D { result.append(scalar) } else { fallthrough }
            case .spaceSeparator: if let last = result.last, last != " " { result.append(" ") }
            default: result.append(scalar)
            }
        }
        while result.last == " " { result.removeLast() }
        return String(result)
    }
}
