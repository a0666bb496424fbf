public import LocationModel
public import MapModel
import PlaceSearch

/// A converter between coordinates and addresses (Core Location's `CLGeocoder`). MapKit's requests of today are
/// ``GeocodingRequest`` and ``ReverseGeocodingRequest``. It searches the installed map data; nothing leaves the machine.
public struct Geocoder: Sendable {
    /// The kinds of places that an address may mean.
    private static let kinds = Set(FoundPlace.Kind.allCases).subtracting([.pointOfInterest])

    private let indexes: PlaceIndexCache

    /// Creates a geocoder for all installed places.
    public init() { self.init(indexes: .shared) }

    package init(indexes: PlaceIndexCache) { self.indexes = indexes }

    /// Returns the description of a coordinate: the nearest street and number, the town, the country and its time zone,
    /// as far as the data have them.
    ///
    /// - Throws: As ``LocalSearch/start()`` does.
    public func reverseGeocode(_ coordinate: Coordinate) async throws -> Placemark {
        let address = try await indexes.search { searcher in try searcher.address(at: coordinate) }
        return Placemark(address, at: coordinate)
    }

    /// Returns the places that an address may mean, the likeliest first: "Städtle 5, Vaduz", street and number in
    /// either order.
    ///
    /// - Parameters:
    ///   - address: The address, or the name of a place.
    ///   - region: A region whose places, and those near it, come first; `nil`, the default, for none.
    /// - Throws: As ``LocalSearch/start()`` does.
    public func geocodeAddressString(_ address: String, in region: CoordinateRegion? = nil) async throws -> [Placemark]
    {
        try await places(for: address, in: region).map { Placemark($0.address, at: $0.coordinate, name: $0.name) }
    }

    /// Returns the places that an address may mean, at most ten, the likeliest first.
    func places(for address: String, in region: CoordinateRegion?) async throws -> [FoundPlace] {
        try await indexes.search { searcher in
            try searcher.search(address, visible: region.flatMap { PlaceBounds($0) }, kinds: Self.kinds, limit: 10)
        }
    }
}
