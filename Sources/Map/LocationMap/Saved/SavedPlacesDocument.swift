import FleetModel
import StrictJSON

/// The content of a file of saved places: a feature collection (RFC 7946) whose points are the places, and whose lines are the
/// routes.
///
/// Everything else in the file, such as areas and the properties of other programs, is kept as it was written.
struct SavedPlacesDocument {
    /// A feature as it is in the file.
    private struct Feature {
        var text: [UInt8]
        /// The place or route; `nil` for another feature.
        var item: SavedItem?
    }

    /// The reason for refusing a file.
    struct Flaw: Error {
        var reason: String
    }

    private var features: [Feature] = []
    /// The other members of the collection, with their names.
    private var others: [(name: String, text: [UInt8])] = []

    /// The places, in the order of the file.
    var places: [SavedPlace] { features.compactMap { $0.item?.place } }
    /// The routes, in the order of the file.
    var routes: [SavedRoute] { features.compactMap { $0.item?.route } }

    /// An empty document.
    init() {}

    /// Reads a file.
    init(_ bytes: [UInt8]) throws(Flaw) {
        guard let root = try? JSONOutline(bytes) else { throw Flaw(reason: "it is not JSON") }
        guard root["type"]?.string == "FeatureCollection", let features = root["features"]?.elements else {
            throw Flaw(reason: "it is not a feature collection of GeoJSON")
        }
        others = root.all.filter { !["type", "features"].contains($0.name) }.map { ($0.name, Array($0.value.text)) }
        self.features = features.map { Feature(text: Array($0.text), item: SavedItem(feature: $0)) }
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
        var kept = place
        if let known = places.first(where: { $0.id == place.id }) { kept.coordinate = known.coordinate }
        save(.place(kept))
    }

    /// Adds a route, or replaces the one with its identifier, which keeps what else is known of it.
    mutating func save(_ route: SavedRoute) { save(.route(route)) }

    private mutating func save(_ item: SavedItem) {
        let index = features.firstIndex { $0.item.map { $0.id == item.id && $0.isRoute == item.isRoute } ?? false }
        // A feature that was read once can be read again.
        guard let index, let before = features[index].item, let known = try? JSONOutline(features[index].text) else {
            features.append(
                Feature(text: Self.feature(item, geometry: item.geometry, properties: [], others: []), item: item))
            return
        }
        let own = item.properties.map(\.name)
        let properties = (known["properties"]?.object?.all ?? []).filter { !own.contains($0.name) }
        let isMoved = !item.hasGeometry(of: before)
        // The box of a redrawn line is another one.
        let written = ["type", "id", "geometry", "properties"] + (isMoved ? ["bbox"] : [])
        let others = known.all.filter { !written.contains($0.name) }
        let geometry = isMoved ? nil : known["geometry"].map { Array($0.text) }
        let text = Self.feature(
            item, geometry: geometry ?? item.geometry, properties: properties.map { ($0.name, Array($0.value.text)) },
            others: others.map { ($0.name, Array($0.value.text)) })
        features[index] = Feature(text: text, item: item)
    }

    /// Removes the place or route with an identifier, if there is one.
    mutating func remove(_ id: String) { features.removeAll { $0.item?.id == id } }

    private static func feature(
        _ item: SavedItem, geometry: [UInt8], properties: [(String, [UInt8])], others: [(String, [UInt8])]
    ) -> [UInt8] {
        let own = item.properties.compactMap { name, value in value.map { (name, text($0)) } }
        return object(
            [
                ("type", text("Feature")), ("id", text(item.id)), ("geometry", geometry),
                ("properties", object(own + properties)),
            ] + others)
    }

    private static func object(_ members: [(String, [UInt8])]) -> [UInt8] {
        let texts = members.map { text($0.0) + Array(":".utf8) + $0.1 }
        return Array("{".utf8) + texts.joined(separator: Array(",".utf8)) + Array("}".utf8)
    }

    /// A text in JSON's notation.
    private static func text(_ string: String) -> [UInt8] { Array(JSONText.quoted(string).utf8) }
}
