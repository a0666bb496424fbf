public import FoundationEssentials
public import LocationModel
public import MapModel
public import PlaceSearch

/// The description of a place in words (Core Location's `CLPlacemark`). The parts of the address are properties with
/// MapKit's names, such as `placemark.locality`; each is `nil` if the data lack it.
@dynamicMemberLookup
public struct Placemark: Codable, Hashable, Sendable {
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
public struct MapItem: Codable, Hashable, Sendable, Identifiable {
    /// The identifier of the place, stable while its data stay the same.
    public let id: String
    /// The position with the address.
    public let placemark: Placemark
    /// The name.
    public let name: String
    /// The kind of point of interest; `nil` for streets and towns, and for places that belong to none of MapKit's kinds.
    public let pointOfInterestCategory: PointOfInterestCategory?
    /// The identifier of the category in the map data, which are finer, such as `fast_food`; `nil` for streets and towns.
    public let dataCategory: String?
    /// The telephone number as in the data; `nil` if there is none.
    public let phoneNumber: String?
    /// The address of a web page; `nil` if there is none, or if that of the data is no address.
    public let url: URL?
    /// The opening hours in the syntax of OpenStreetMap's `opening_hours`; `nil` if there are none.
    public let openingHours: String?
    /// The opening hours in readable form; `nil` if there are none or their syntax is complex.
    public var openingTimes: OpeningTimes? { openingHours.flatMap { OpeningTimes($0) } }
    /// The extent; `nil` for small places.
    public let region: CoordinateRegion?
    /// The position.
    public var coordinate: Coordinate { placemark.coordinate }

    /// A place that is not from a search: one of the program's own, or one in a test.
    public init(
        placemark: Placemark, name: String? = nil, id: String = "",
        pointOfInterestCategory: PointOfInterestCategory? = nil, phoneNumber: String? = nil, url: URL? = nil,
        openingHours: String? = nil, region: CoordinateRegion? = nil
    ) {
        self.id = id
        self.placemark = placemark
        self.name = name ?? placemark.name ?? placemark.title
        self.pointOfInterestCategory = pointOfInterestCategory
        self.phoneNumber = phoneNumber
        self.url = url
        self.openingHours = openingHours
        dataCategory = nil
        self.region = region
    }

    init(_ place: FoundPlace) {
        id = place.id
        placemark = Placemark(place.address, at: place.coordinate, name: place.name)
        name = place.name
        pointOfInterestCategory = place.category.flatMap { PointOfInterestCategory(placeCategory: $0) }
        dataCategory = place.category
        phoneNumber = place.phone
        url = place.url.flatMap { URL(string: $0) }
        openingHours = place.openingHours
        region = place.bounds.flatMap { PlaceBounds(west: $0[0], south: $0[1], east: $0[2], north: $0[3]) }
            .map { CoordinateRegion($0) }
    }
}

extension MapItem: CustomStringConvertible {
    /// The name with the address: "Café Amann, Städtle 5, 9490 Vaduz, Liechtenstein".
    public var description: String {
        let address = placemark.address.line(without: name)
        return address.isEmpty || address == name ? name : "\(name), \(address)"
    }
}
