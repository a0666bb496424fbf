public import LocationModel
public import MapModel
public import PlaceSearch

/// The description of a place in words (Core Location's `CLPlacemark`). The parts of the address are properties with
/// MapKit's names, such as `placemark.locality`; each is `nil` if the data lack it.
@dynamicMemberLookup
public struct Placemark: Hashable, Sendable {
    /// The position.
    public var coordinate: Coordinate
    /// The name, if it is more than an address; `nil` otherwise.
    public var name: String?
    /// The street and number, town, country and time zone.
    public var address: PlaceAddress
    /// The address on one line, as it is written on letters.
    public var title: String { address.line() }

    /// The description of the place at `coordinate`.
    public init(coordinate: Coordinate, name: String? = nil, address: PlaceAddress = PlaceAddress()) {
        self.init(address, at: coordinate, name: name)
    }

    init(_ address: PlaceAddress, at coordinate: Coordinate, name: String? = nil) {
        self.coordinate = coordinate
        self.name = name
        self.address = address
    }

    /// Accesses a part of the address.
    public subscript<Part>(dynamicMember part: WritableKeyPath<PlaceAddress, Part>) -> Part {
        get { address[keyPath: part] }
        set { address[keyPath: part] = newValue }
    }
}

/// A place found by a search (MapKit's `MKMapItem`).
public struct MapItem: Hashable, Sendable, Identifiable {
    /// The identifier of the place, stable while its data stay the same.
    public let id: String
    /// The position with the address.
    public let placemark: Placemark
    /// The name.
    public let name: String
    /// The identifier of its category, such as `cafe`; `nil` for streets and towns.
    public let pointOfInterestCategory: String?
    /// The telephone number as in the data; `nil` if there is none.
    public let phoneNumber: String?
    /// The address of a web page; `nil` if there is none.
    public let url: String?
    /// The opening hours in the syntax of OpenStreetMap's `opening_hours`; `nil` if there are none.
    public let openingHours: String?
    /// The opening hours in readable form; `nil` if there are none or their syntax is complex.
    public let openingTimes: OpeningTimes?
    /// The extent; `nil` for small places.
    public let region: CoordinateRegion?
    /// The position.
    public var coordinate: Coordinate { placemark.coordinate }

    /// A place that is not from a search: one of the program's own, or one in a test. Its opening times are those of `openingHours`
    /// in readable form.
    public init(
        placemark: Placemark, name: String? = nil, id: String = "", pointOfInterestCategory: String? = nil,
        phoneNumber: String? = nil, url: String? = nil, openingHours: String? = nil, region: CoordinateRegion? = nil
    ) {
        self.id = id
        self.placemark = placemark
        self.name = name ?? placemark.name ?? placemark.title
        self.pointOfInterestCategory = pointOfInterestCategory
        self.phoneNumber = phoneNumber
        self.url = url
        self.openingHours = openingHours
        openingTimes = openingHours.flatMap { OpeningTimes($0) }
        self.region = region
    }

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
