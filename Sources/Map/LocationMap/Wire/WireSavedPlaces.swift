import LocationModel

/// The saved places and routes in the form for pages.
struct WireSavedPlaces: Encodable {
    var places: [WireSavedPlace]
    var routes: [WireSavedRoute]
    /// The reason why they could not be read.
    var problem: PageSentence?
    /// True if the program reads files of places and lines for pages.
    var readsFiles: Bool

    @MainActor
    init(_ saved: SavedPlaces) {
        places = saved.places.map(WireSavedPlace.init)
        routes = saved.routes.map(WireSavedRoute.init)
        problem = saved.error?.sentence
        readsFiles = saved.fileReader != nil
    }
}

/// A saved place, to and from pages.
struct WireSavedPlace: Codable, Hashable {
    var id: String
    var name: String
    var note: String
    var color: String
    var position: WirePosition

    init(_ place: SavedPlace) {
        (id, name, note, color) = (place.id, place.name, place.note, place.color)
        position = WirePosition(place.coordinate)
    }

    /// The place; `nil` if a page sends one that cannot be saved.
    var place: SavedPlace? {
        Coordinate(latitude: position.latitude, longitude: position.coordinate.longitude).flatMap {
            SavedPlace(id: id, name: name, note: note, color: color, coordinate: $0)
        }
    }
}

/// A saved route, to and from pages.
struct WireSavedRoute: Codable, Hashable {
    /// A point: its longitude, latitude and, if it is known, altitude.
    struct Point: Codable, Hashable {
        var position: WirePosition
        var altitude: Double?

        init(_ point: SavedRoute.Point) {
            position = WirePosition(point.coordinate)
            altitude = point.altitude
        }

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            position = WirePosition(
                longitude: try values.decode(Double.self), latitude: try values.decode(Double.self))
            altitude = try values.decodeIfPresent(Double.self)
        }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.unkeyedContainer()
            try values.encode(WirePosition.rounded(position.longitude))
            try values.encode(WirePosition.rounded(position.latitude))
            if let altitude { try values.encode(altitude) }
        }
    }

    var id: String
    var name: String
    var note: String
    var color: String
    var points: [Point]

    init(_ route: SavedRoute) {
        (id, name, note, color) = (route.id, route.name, route.note, route.color)
        points = route.points.map(Point.init)
    }

    /// The route; `nil` if a page sends one that cannot be saved.
    var route: SavedRoute? {
        let points = points.compactMap { point in
            Coordinate(latitude: point.position.latitude, longitude: point.position.longitude)
                .map { SavedRoute.Point($0, altitude: point.altitude) }
        }
        guard points.count == self.points.count else { return nil }
        return SavedRoute(id: id, name: name, note: note, color: color, points: points)
    }
}
