public import LocationModel

/// Says where somebody is who moves, in few words, and looks it up again only once it may have changed.
public struct PlaceNamer: Sendable {
    /// Where somebody is.
    public struct Name: Hashable, Sendable {
        /// Street and number, where they are known.
        public var street: String?
        /// The town and its part, or the state.
        public var town: String?
        /// The country.
        public var country: String?

        /// `Städtle 5, Vaduz`
        public var line: String { [street, town ?? country].compactMap { $0 }.joined(separator: ", ") }
    }

    private let searcher: PlaceSearcher
    private var last: (coordinate: Coordinate, name: Name)?

    /// Asks this searcher.
    public init(_ searcher: PlaceSearcher) { self.searcher = searcher }

    /// The name of the place. It was looked up at most 15 m from here, or half of `accuracy`.
    ///
    /// - Parameter accuracy: How exact the position is, in metres. Within more than 60 m nobody can tell the number, within more
    ///   than 150 m not the street.
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
