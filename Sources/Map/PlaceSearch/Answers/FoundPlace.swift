public import LocationModel

/// A place found by a search, with its name, position and details.
public struct FoundPlace: Codable, Hashable, Sendable, Identifiable {
    /// The kind of a place.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A country.
        case country
        /// A state or province.
        case region
        /// A city, town, village or hamlet.
        case settlement
        /// A part of a settlement.
        case suburb
        /// A street.
        case street
        /// A house number in a street.
        case address
        /// A shop, peak, bus stop or the like; ``FoundPlace/category`` names the category.
        case pointOfInterest
        /// A coordinate in the query.
        case coordinate
        /// The area of a postal code.
        case postalCode
        /// The crossing of two streets.
        case intersection
    }

    /// The identifier of the place, stable while its data stay the same: an object of OpenStreetMap (`n123`, `w123`,
    /// `a123`), an entry of GeoNames (`g123`), or the position of a place made of several objects.
    public var id: String
    /// The name in the local language; for a place without a name, the title of its category.
    public var name: String
    /// The other name by which the place was found, without the accents that were not typed (`Sao Paulo De Loanda`); `nil` if its
    /// ``name`` was.
    public var alternativeName: String?
    /// The kind of the place.
    public var kind: Kind
    /// The identifier of the ``PlaceCategory``; `nil` unless it is a point of interest.
    public var category: String?
    /// The latitude, in degrees north of the equator.
    public var latitude: Double
    /// The longitude, in degrees east of Greenwich.
    public var longitude: Double
    /// The address, as far as it is known.
    public var address: PlaceAddress
    /// The telephone number as in the data; `nil` if there is none.
    public var phone: String?
    /// The address of a web page, `http` or `https`; `nil` if there is none.
    public var url: String?
    /// The opening hours in the syntax of OpenStreetMap's `opening_hours`; `nil` if there are none.
    public var openingHours: String?
    /// The opening hours in readable form; `nil` if there are none or their syntax is complex.
    public var openingTimes: OpeningTimes?
    /// The access for wheelchairs; `nil` if it is unknown.
    public var wheelchair: WheelchairAccess?
    /// The distance from the coordinate of the search, in metres; `nil` if the search had none.
    public var distance: Double?
    /// The extent as degrees west, south, east, north; `nil` for small places.
    public var bounds: [Double]?

    /// The radius of a settlement, in metres, estimated from its population: 1.5 km for a village, 15 km for a million people;
    /// `nil` for other places.
    public var estimatedRadius: Double?

    /// The position.
    public var coordinate: Coordinate {
        Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
    }
}

/// The access of a place for wheelchairs, as OpenStreetMap's key `wheelchair` has it.
public enum WheelchairAccess: String, Codable, Hashable, Sendable, CaseIterable {
    /// Accessible without steps.
    case yes
    /// Partly accessible, or with help over a step.
    case limited
    /// Not accessible.
    case no
}

/// The address of a place. The names of the fields are those of MapKit's placemarks; each is `nil` if the data lack it.
public struct PlaceAddress: Codable, Hashable, Sendable {
    /// The street.
    public var thoroughfare: String?
    /// The house number.
    public var subThoroughfare: String?
    /// The city, town or village.
    public var locality: String?
    /// The part of the settlement.
    public var subLocality: String?
    /// The state or province.
    public var administrativeArea: String?
    /// The postal code.
    public var postalCode: String?
    /// The name of the country in English.
    public var country: String?
    /// The code of the country (ISO 3166-1 alpha-2).
    public var isoCountryCode: String?
    /// The time zone (IANA), such as `Europe/Vaduz`.
    public var timeZone: String?

    /// Creates an empty address.
    public init() {}

    /// The street and number, in the order of the country; `nil` without a street.
    public var streetLine: String? {
        guard let thoroughfare else { return nil }
        guard let subThoroughfare else { return thoroughfare }
        let isNumberFirst = Self.countriesWithNumberFirst.contains(isoCountryCode ?? "")
        return isNumberFirst ? "\(subThoroughfare) \(thoroughfare)" : "\(thoroughfare) \(subThoroughfare)"
    }

    /// Returns the address on one line, from small to large: `Städtle 5, 9490 Vaduz, Liechtenstein`.
    ///
    /// - Parameter name: A name that precedes the line and is left out of it; `nil`, the default, for none.
    public func line(without name: String? = nil) -> String { line(without: name, separator: ", ") }

    /// Returns the address, from small to large, with `separator` between its parts.
    package func line(without name: String? = nil, separator: String) -> String {
        let town = [postalCode == name ? nil : postalCode, locality].compactMap { $0 }.joined(separator: " ")
        var parts: [String] = []
        for part in [streetLine, subLocality, town, administrativeArea, country ?? isoCountryCode] {
            guard let part, !part.isEmpty, part != name, !parts.contains(part) else { continue }
            if part == town, locality == name { continue }
            if part == administrativeArea, part == locality || part == country { continue }
            parts.append(part)
        }
        return parts.joined(separator: separator)
    }

    /// The countries that write "12 High Street".
    private static let countriesWithNumberFirst: Set<String> = [
        "US", "CA", "GB", "IE", "AU", "NZ", "FR", "LU", "IN", "ZA", "SG", "PH", "TH", "MY", "IL", "EG",
    ]
}

/// A suggestion for a partial query.
public struct PlaceSuggestion: Codable, Hashable, Sendable {
    /// A range of a text, in UTF-16 code units.
    public struct Highlight: Codable, Hashable, Sendable {
        /// The start of the range.
        public var start: Int
        /// The length of the range.
        public var length: Int
    }

    /// The name of a place, followed by the other name that matches if its first one does not ("Munich — München"), or the
    /// title of a category.
    public var title: String
    /// The address of the place; for a category, what choosing it does.
    public var subtitle: String
    /// The ranges of the title that match the query.
    public var titleHighlights: [Highlight]
    /// The ranges of the subtitle that match the query.
    public var subtitleHighlights: [Highlight]
    /// The query that choosing it runs.
    public var query: String
    /// The identifier of the category whose places it finds; `nil` for a place.
    public var category: String?
    /// The place; `nil` for a category.
    public var place: FoundPlace?
}
