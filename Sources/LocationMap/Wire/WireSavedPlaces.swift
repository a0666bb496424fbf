import LocationModel

/// The saved places in the form for pages.
struct WireSavedPlaces: Encodable {
    var places: [WireSavedPlace]
    /// The reason why they could not be read, as a sentence.
    var problem: String?

    @MainActor
    init(_ saved: SavedPlaces) {
        places = saved.places.map(WireSavedPlace.init)
        problem = saved.problem
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
