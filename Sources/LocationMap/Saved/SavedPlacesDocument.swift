import FoundationEssentials
import LocationModel
import StrictJSON

/// The content of a file of saved places: a feature collection (RFC 7946) whose points are the places.
///
/// The properties are `name`, `description` and, as in simplestyle, `marker-color`. Everything else in the file, such as lines
/// and the properties of other programs, is kept as it was written.
struct SavedPlacesDocument {
    /// A feature as it is in the file.
    private struct Feature {
        var text: [UInt8]
        /// The place; `nil` for a feature that is none.
        var place: SavedPlace?
    }

    /// The reason for refusing a file.
    struct Flaw: Error {
        var reason: String
    }

    private var features: [Feature] = []
    /// The other members of the collection, with their names.
    private var others: [(name: String, text: [UInt8])] = []

    /// The places, in the order of the file.
    var places: [SavedPlace] { features.compactMap(\.place) }

    /// An empty document.
    init() {}

    /// Reads a file.
    init(_ bytes: [UInt8]) throws(Flaw) {
        guard let root = try? JSONOutline(bytes) else { throw Flaw(reason: "it is not JSON") }
        guard root["type"]?.string == "FeatureCollection", let features = root["features"]?.elements else {
            throw Flaw(reason: "it is not a feature collection of GeoJSON")
        }
        others = root.all.filter { !["type", "features"].contains($0.name) }.map { ($0.name, Array($0.value.text)) }
        self.features = features.map { Feature(text: Array($0.text), place: SavedPlace(feature: $0)) }
    }

    /// The document as a file.
    var bytes: [UInt8] {
        var text = Array(#"{"type":"FeatureCollection","#.utf8)
        for (name, value) in others { text += Self.text(name) + Array(":".utf8) + value + Array(",".utf8) }
        text += Array("\"features\":[\n".utf8)
        text += features.map(\.text).joined(separator: Array(",\n".utf8))
        return text + Array("\n]}\n".utf8)
    }

    /// Adds a place, or replaces the one with its identifier, which keeps its position and what else is known of it.
    mutating func save(_ place: SavedPlace) {
        guard let index = features.firstIndex(where: { $0.place?.id == place.id }) else {
            features.append(Feature(text: Self.feature(place, geometry: nil, properties: [], others: []), place: place))
            return
        }
        // What was read once can be read again.
        guard let known = try? JSONOutline(features[index].text) else { return }
        let own = ["name", "description", "marker-color"]
        let properties = (known["properties"]?.object?.all ?? []).filter { !own.contains($0.name) }
        let others = known.all.filter { !["type", "id", "geometry", "properties"].contains($0.name) }
        var kept = place
        kept.coordinate = features[index].place?.coordinate ?? place.coordinate
        let text = Self.feature(
            place, geometry: known["geometry"].map { Array($0.text) },
            properties: properties.map { ($0.name, Array($0.value.text)) },
            others: others.map { ($0.name, Array($0.value.text)) })
        features[index] = Feature(text: text, place: kept)
    }

    /// Removes the place with an identifier, if there is one.
    mutating func remove(_ id: String) { features.removeAll { $0.place?.id == id } }

    private static func feature(
        _ place: SavedPlace, geometry: [UInt8]?, properties: [(String, [UInt8])], others: [(String, [UInt8])]
    ) -> [UInt8] {
        let point = "{\"type\":\"Point\",\"coordinates\":[\(place.coordinate.longitude),\(place.coordinate.latitude)]}"
        var own = [("name", text(place.name))]
        if !place.note.isEmpty { own.append(("description", text(place.note))) }
        own.append(("marker-color", text(place.color)))
        return object(
            [
                ("type", text("Feature")), ("id", text(place.id)), ("geometry", geometry ?? Array(point.utf8)),
                ("properties", object(own + properties)),
            ] + others)
    }

    private static func object(_ members: [(String, [UInt8])]) -> [UInt8] {
        let texts = members.map { text($0.0) + Array(":".utf8) + $0.1 }
        return Array("{".utf8) + texts.joined(separator: Array(",".utf8)) + Array("}".utf8)
    }

    /// A text in JSON's notation.
    private static func text(_ string: String) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A string is always encodable.
        return (try? encoder.encode(string)).map(Array.init) ?? Array("\"\"".utf8)
    }
}

extension SavedPlace {
    /// The place of a feature; `nil` for one that is not a point, and for one that this version would not save.
    fileprivate init?(feature value: JSONOutline.Value) {
        guard let feature = value.object, feature["type"]?.string == "Feature",
            let geometry = feature["geometry"]?.object, geometry["type"]?.string == "Point",
            let numbers = geometry["coordinates"]?.elements, numbers.count >= 2,
            let longitude = numbers[0].number, let latitude = numbers[1].number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        let properties = feature["properties"]?.object
        let color = properties?["marker-color"]?.string ?? Self.standardColor
        self.init(
            id: feature["id"]?.string ?? Self.identifier(of: value.text),
            name: properties?["name"]?.string ?? properties?["title"]?.string ?? "Place",
            note: properties?["description"]?.string ?? "", color: Self.isColor(color) ? color : Self.standardColor,
            coordinate: coordinate)
    }

    /// The identifier of a feature without one: by its text (FNV-1a), so that it is the same at each reading.
    private static func identifier(of text: ArraySlice<UInt8>) -> String {
        let hash = text.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "t" + String(hash, radix: 16)
    }
}
