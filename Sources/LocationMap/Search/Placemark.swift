public import LocationModel
public import PlaceSearch

/// Where something is in words, with the fields of MapKit's placemarks. What is not known is `nil`.
public struct Placemark: Hashable, Sendable {
    /// The position.
    public var coordinate: Coordinate
    /// The name of what is there, if that is more than an address.
    public var name: String?
    /// The street.
    public var thoroughfare: String?
    /// The house number.
    public var subThoroughfare: String?
    /// The city, town or village.
    public var locality: String?
    /// The part of it.
    public var subLocality: String?
    /// The state or province.
    public var administrativeArea: String?
    /// The postal code.
    public var postalCode: String?
    /// The country's name in English.
    public var country: String?
    /// The country's code (ISO 3166-1 alpha-2).
    public var isoCountryCode: String?
    /// The time zone (IANA): `Europe/Vaduz`.
    public var timeZone: String?
    /// All of it on one line, as people write addresses.
    public var title: String

    init(_ address: PlaceAddress, at coordinate: Coordinate, name: String? = nil) {
        self.coordinate = coordinate
        self.name = name
        thoroughfare = address.thoroughfare
        subThoroughfare = address.subThoroughfare
        locality = address.locality
        subLocality = address.subLocality
        administrativeArea = address.administrativeArea
        postalCode = address.postalCode
        country = address.country
        isoCountryCode = address.isoCountryCode
        timeZone = address.timeZone
        title = address.line()
    }
}

/// A place that a search found.
public struct MapItem: Hashable, Sendable, Identifiable {
    /// The same for the same place as long as its data are.
    public let id: String
    /// Where it is.
    public let placemark: Placemark
    /// What it is called.
    public let name: String
    /// What it is for: the identifier of a category, such as `cafe`; `nil` for streets and towns.
    public let pointOfInterestCategory: String?
    /// A number to call, as it stands in the data.
    public let phoneNumber: String?
    /// A web page.
    public let url: String?
    /// When it is open, in the form of OpenStreetMap's `opening_hours`.
    public let openingHours: String?
    /// What a map shows to show all of it; `nil` for what is small.
    public let region: PlaceRegion?
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
        region = place.bounds.flatMap { PlaceRegion(west: $0[0], south: $0[1], east: $0[2], north: $0[3]) }
    }
}
