import LocationModel
import StrictJSON

/// A file with areas: a feature collection of GeoJSON (RFC 7946) whose points with a radius are the areas. Other features, such as those
/// of a newer version, are kept as they were written.
package struct FleetAreaDocument: Sendable {
    /// The largest file, in bytes.
    package static let longest = 1 << 20

    /// The reason for refusing a file.
    package struct Flaw: Error, Hashable {
        /// Without a capital letter and a full stop.
        package let reason: String
    }

    /// The areas, in the order of the file.
    package private(set) var areas: [FleetArea] = []
    private var others: [[UInt8]] = []

    /// An empty document.
    package init() {}

    /// Reads a file.
    package init(_ bytes: [UInt8]) throws(Flaw) {
        guard let root = try? JSONOutline(bytes) else { throw Flaw(reason: "it is not JSON") }
        guard root["type"]?.string == "FeatureCollection", let features = root["features"]?.elements else {
            throw Flaw(reason: "it is not a feature collection of GeoJSON")
        }
        for feature in features {
            if let area = Self.area(feature), !areas.contains(where: { $0.id == area.id }),
                areas.count < FleetArea.mostAreas
            {
                areas.append(area)
            } else {
                others.append(Array(feature.text))
            }
        }
    }

    /// Adds an area, or replaces the one with its identifier. Throws if there would be too many.
    package mutating func save(_ area: FleetArea) throws(Flaw) {
        if let index = areas.firstIndex(where: { $0.id == area.id }) {
            areas[index] = area
        } else {
            guard areas.count < FleetArea.mostAreas else {
                throw Flaw(reason: "there would be more than \(FleetArea.mostAreas) areas; remove some first")
            }
            areas.append(area)
        }
    }

    /// Removes the area with an identifier, if there is one.
    package mutating func remove(_ id: String) { areas.removeAll { $0.id == id } }

    /// The document as a file.
    package var bytes: [UInt8] {
        let features = areas.map { Array(Self.feature($0).utf8) } + others
        return Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8)
            + features.joined(separator: Array(",\n".utf8)) + Array("\n]}\n".utf8)
    }

    private static func area(_ feature: JSONOutline.Value) -> FleetArea? {
        guard let object = feature.object, let geometry = object["geometry"]?.object,
            geometry["type"]?.string == "Point", let position = geometry["coordinates"]?.elements, position.count >= 2,
            let longitude = position[0].number, let latitude = position[1].number,
            let center = Coordinate(latitude: latitude, longitude: longitude), let id = object["id"]?.string,
            let properties = object["properties"]?.object, let name = properties["name"]?.string,
            let radius = properties["radius"]?.number
        else { return nil }
        return FleetArea(
            id: id, name: name, center: center, radius: radius, search: properties["vehicles"]?.string ?? "")
    }

    private static func feature(_ area: FleetArea) -> String {
        let center = "[\(area.center.longitude),\(area.center.latitude)]"
        let properties =
            #""name":\#(JSONText.quoted(area.name)),"radius":\#(area.radius),"vehicles":\#(JSONText.quoted(area.search))"#
        return #"{"type":"Feature","id":\#(JSONText.quoted(area.id)),"#
            + #""geometry":{"type":"Point","coordinates":\#(center)},"properties":{\#(properties)}}"#
    }
}
