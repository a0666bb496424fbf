public import LocationModel
public import MapModel
public import PlaceSearch

/// Where something is in words. Its parts have the names of MapKit's placemarks: `placemark.locality`, and are `nil` where they
/// are not known.
@dynamicMemberLookup
public struct Placemark: Hashable, Sendable {
    /// The position.
    public var coordinate: Coordinate
    /// The name of what is there, if that is more than an address.
    public var name: String?
    /// Street and number, town, country and time zone.
    public var address: PlaceAddress
    /// All of it on one line, as people write addresses.
    public var title: String { address.line() }

    init(_ address: PlaceAddress, at coordinate: Coordinate, name: String? = nil) {
        self.coordinate = coordinate
        self.name = name
        self.address = address
    }

    /// A part of the address.
    public subscript<Part>(dynamicMember part: WritableKeyPath<PlaceAddress, Part>) -> Part {
        get { address[keyPath: part] }
        set { address[keyPath: part] = newValue }
    }
}

/// A place that a search found.
public struct MapItem: Hashable, Sendable, Identifiable {
    /// The same for the same place as long as its data are.
    public let id: String
    /// The position.
    public let placemark: Placemark
    /// Its name.
    public let name: String
    /// The identifier of its category, such as `cafe`; `nil` for streets and towns.
    public let pointOfInterestCategory: String?
    /// A number to call, as it stands in the data.
    public let phoneNumber: String?
    /// A web page.
    public let url: String?
    /// The opening hours, in the form of OpenStreetMap's `opening_hours`.
    public let openingHours: String?
    /// The same as people read it, where it is of a simple form.
    public let openingTimes: OpeningTimes?
    /// Its extent; `nil` for small places.
    public let region: CoordinateRegion?
    /// The position.
    public var coordinate: Coordinate { placemark.coordinate }

    init(_ place: FoundPlace) {
        id = place.id
        placemark = Placemark(place.address, at: place.coordinate, name: place.name)
        name = place.name
        pointOfInterestCategory = place.category
        phoneNumber = place.phone
        url = place.url
        openingHours = place.openingHours
        openingTimes = place.openingTimes
        region = place.bounds.flatMap { PlaceBounds(west: $0[0], south: $0[1], east: $0[2], north: $0[3]) }
            .map { CoordinateRegion($0) }
    }
}
