public import LocationModel

/// The name of the place of a moving user. It is looked up again only after it may have changed.
public struct PlaceNamer: Sendable {
    /// The name of a place.
    public struct Name: Hashable, Sendable {
        /// The street and number; `nil` if unknown.
        public var street: String?
        /// The town with its part, or the state; `nil` if unknown.
        public var town: String?
        /// The country; `nil` if unknown.
        public var country: String?

        /// The name on one line, such as `Städtle 5, Vaduz`.
        public var line: String { [street, town ?? country].compactMap { $0 }.joined(separator: ", ") }
    }

    private let searcher: PlaceSearcher
    private var last: (coordinate: Coordinate, name: Name)?

    /// Creates a namer that uses `searcher`.
    public init(_ searcher: PlaceSearcher) { self.searcher = searcher }

    /// Returns the name of the place, looked up at most 15 m from here, or half of `accuracy`.
    ///
    /// - Parameter accuracy: The radius of the position, in metres. Above 60 m the house number is left out, above 150
    ///   m the street.
    public mutating func name(
        at coordinate: Coordinate, accuracy: Double?
    ) throws(PlaceIndexError) -> Name {
        let accuracy = accuracy ?? 1000
        if let last, last.coordinate.distance(to: coordinate) < max(15, accuracy / 2) { return last.name }
        let address = try searcher.address(at: coordinate)
        var exact = address
        if accuracy > 60 { exact.subThoroughfare = nil }
        let name = Name(
            street: accuracy > 150 ? nil : exact.streetLine, town: address.locality ?? address.administrativeArea,
            country: address.country ?? address.isoCountryCode)
        last = (coordinate, name)
        return name
    }
}
