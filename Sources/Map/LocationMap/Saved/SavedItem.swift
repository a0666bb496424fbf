import LocationModel
import StrictJSON

/// A feature of a file of saved places that is shown on maps.
enum SavedItem: Hashable {
    case place(SavedPlace)
    case route(SavedRoute)

    /// The identifier in the file.
    var id: String {
        switch self {
        case .place(let place): place.id
        case .route(let route): route.id
        }
    }

    var isRoute: Bool { route != nil }
    var place: SavedPlace? { if case .place(let place) = self { place } else { nil } }
    var route: SavedRoute? { if case .route(let route) = self { route } else { nil } }

    // MARK: Reading

    /// The place or route of a feature; `nil` for another geometry, and for one that this version would not save.
    init?(feature value: JSONOutline.Value) {
        guard let feature = value.object, feature["type"]?.string == "Feature",
            let geometry = feature["geometry"]?.object, let coordinates = geometry["coordinates"]?.elements
        else { return nil }
        let properties = feature["properties"]?.object
        let id = feature["id"]?.string ?? Self.identifier(of: value.text)
        let name = properties?["name"]?.string ?? properties?["title"]?.string
        let note = properties?["description"]?.string ?? ""
        switch geometry["type"]?.string {
        case "Point":
            guard let point = SavedRoute.Point(coordinates),
                let place = SavedPlace(
                    id: id, name: name ?? "Place", note: note,
                    color: SavedPlace.color(properties?["marker-color"]?.string), coordinate: point.coordinate)
            else { return nil }
            self = .place(place)
        case "LineString":
            guard coordinates.count <= SavedRoute.maximumCount else { return nil }
            let points = coordinates.compactMap { $0.elements.flatMap(SavedRoute.Point.init) }
            guard points.count == coordinates.count,
                let route = SavedRoute(
                    id: id, name: name ?? "Route", note: note,
                    color: SavedPlace.color(properties?["stroke"]?.string, or: SavedRoute.standardColor),
                    points: points)
            else { return nil }
            self = .route(route)
        default: return nil
        }
    }

    /// The identifier of a feature without one: by its text (FNV-1a), so that it is the same at each reading.
    private static func identifier(of text: ArraySlice<UInt8>) -> String {
        let hash = text.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "t" + String(hash, radix: 16)
    }

    // MARK: Writing

    /// The geometry of GeoJSON.
    var geometry: [UInt8] {
        switch self {
        case .place(let place): return Self.geometry("Point", SavedRoute.Point(place.coordinate).text)
        case .route(let route):
            return Self.geometry("LineString", "[\(route.points.map(\.text).joined(separator: ","))]")
        }
    }

    private static func geometry(_ type: String, _ coordinates: String) -> [UInt8] {
        Array("{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}".utf8)
    }

    /// The properties: `name`, `description` and, as in simplestyle, the colour. A text is `nil` if it is left out.
    var properties: [(name: String, text: String?)] {
        let texts = { (name: String, note: String) in [("name", name), ("description", note.isEmpty ? nil : note)] }
        switch self {
        case .place(let place): return texts(place.name, place.note) + [("marker-color", place.color)]
        case .route(let route): return texts(route.name, route.note) + [("stroke", route.color)]
        }
    }

    /// True if the geometry of `other` can stay: that of a place cannot be changed, and pages return the points of a route
    /// rounded to a ten-millionth of a degree.
    func hasGeometry(of other: SavedItem) -> Bool {
        guard case (.route(let one), .route(let other)) = (self, other) else { return true }
        return one.points.count == other.points.count
            && zip(one.points, other.points).allSatisfy { one, other in
                abs(one.coordinate.latitude - other.coordinate.latitude) < 1e-6
                    && abs(one.coordinate.longitude - other.coordinate.longitude) < 1e-6
            }
    }
}

extension SavedRoute.Point {
    /// The point of a position of GeoJSON; `nil` for one that is not on the Earth.
    fileprivate init?(_ numbers: [JSONOutline.Value]) {
        guard numbers.count >= 2, let longitude = numbers[0].number, let latitude = numbers[1].number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        self.init(coordinate, altitude: numbers.count > 2 ? numbers[2].number : nil)
    }

    /// The position in GeoJSON.
    fileprivate var text: String {
        let altitude = altitude.map { ",\($0)" } ?? ""
        return "[\(coordinate.longitude),\(coordinate.latitude)\(altitude)]"
    }
}
