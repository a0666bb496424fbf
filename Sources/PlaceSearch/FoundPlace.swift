public import LocationModel

/// A place that was found: what it is called, where it is, and how to get hold of it.
public struct FoundPlace: Codable, Hashable, Sendable, Identifiable {
    /// The kind of a place.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A country.
        case country
        /// A state or province.
        case region
        /// A city, a town, a village, a hamlet.
        case settlement
        /// A part of a settlement.
        case suburb
        /// A street.
        case street
        /// A house number in a street.
        case address
        /// A shop, a peak, a bus stop; ``FoundPlace/category`` says which.
        case pointOfInterest
        /// A position that was typed.
        case coordinate
    }

    /// The same for the same place as long as its data are: the object of OpenStreetMap (`n123`, `w123`, `a123`), the number
    /// of GeoNames (`g123`), and where it is for what is made of several.
    public var id: String
    /// The name, in the language of the place; the title of the category for what has none.
    public var name: String
    /// The other name by which the place was found, in lower case and without accents (`sao paulo de loanda`); `nil` if its
    /// ``name`` was.
    public var alternativeName: String?
    /// Its kind.
    public var kind: Kind
    /// The identifier of the ``PlaceCategory``, of points of interest.
    public var category: String?
    /// Degrees north of the equator.
    public var latitude: Double
    /// Degrees east of Greenwich.
    public var longitude: Double
    /// Where that is in words.
    public var address: PlaceAddress
    /// A number to call, as it stands in the data.
    public var phone: String?
    /// A web page, only of `http` and `https`.
    public var url: String?
    /// When it is open, in the form of OpenStreetMap's `opening_hours`.
    public var openingHours: String?
    /// The same as people read it, where it is of a simple form.
    public var openingTimes: OpeningTimes?
    /// Metres from where the search was asked from; `nil` if it was from nowhere.
    public var distance: Double?
    /// Its extent: degrees west, south, east, north. `nil` for small places.
    public var bounds: [Double]?

    /// Where it is.
    public var coordinate: Coordinate {
        Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
    }
}

/// Where something is in words. The names of the fields are those of MapKit's placemarks.
public struct PlaceAddress: Codable, Hashable, Sendable {
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

    /// Nothing known yet.
    public init() {}

    /// The street and its number, as they are written in the country.
    public var streetLine: String? {
        guard let thoroughfare else { return nil }
        guard let subThoroughfare else { return thoroughfare }
        let isNumberFirst = Self.countriesWithNumberFirst.contains(isoCountryCode ?? "")
        return isNumberFirst ? "\(subThoroughfare) \(thoroughfare)" : "\(thoroughfare) \(subThoroughfare)"
    }

    /// The parts from the small to the large on one line: `Städtle 5, 9490 Vaduz, Liechtenstein`.
    ///
    /// - Parameter name: What stands before it, and is not said twice.
    public func line(without name: String? = nil) -> String {
        let town = [postalCode, locality].compactMap { $0 }.joined(separator: " ")
        var parts: [String] = []
        for part in [streetLine, subLocality, town, administrativeArea, country ?? isoCountryCode] {
            guard let part, !part.isEmpty, part != name, !parts.contains(part) else { continue }
            if part == town, locality == name { continue }
            if part == administrativeArea, part == locality || part == country { continue }
            parts.append(part)
        }
        return parts.joined(separator: ", ")
    }

    /// Where people write "12 High Street".
    private static let countriesWithNumberFirst: Set<String> = [
        "US", "CA", "GB", "IE", "AU", "NZ", "FR", "LU", "IN", "ZA", "SG", "PH", "TH", "MY", "IL", "EG",
    ]
}

/// A line that is offered while somebody types.
public struct PlaceSuggestion: Codable, Hashable, Sendable {
    /// A part of a text: where it begins and how long it is, in UTF-16 code units, as pages count.
    public struct Highlight: Codable, Hashable, Sendable {
        /// Where it begins.
        public var start: Int
        /// How long it is.
        public var length: Int
    }

    /// The name, or a category's title.
    public var title: String
    /// Where that is; for a category, what choosing it does.
    public var subtitle: String
    /// The typed parts of the title.
    public var titleHighlights: [Highlight]
    /// The typed parts of the subtitle.
    public var subtitleHighlights: [Highlight]
    /// The query that choosing it starts.
    public var query: String
    /// The category, where choosing it searches for all of its places.
    public var category: String?
    /// The place, where it is one.
    public var place: FoundPlace?
}
