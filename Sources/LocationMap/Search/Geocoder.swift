public import LocationModel
public import MapModel
import PlaceSearch

/// Turns positions into addresses and addresses into positions, as Core Location's class of this name does, in the map data that
/// are installed.
public struct Geocoder: Sendable {
    private let indexes: PlaceIndexCache

    /// A geocoder over all installed places.
    public init() { self.init(indexes: .shared) }

    package init(indexes: PlaceIndexCache) { self.indexes = indexes }

    /// Describes a position in words: the nearest street and number, the town, the country and its time zone, as far as the data
    /// say.
    ///
    /// - Throws: As ``LocalSearch/start()`` does.
    public func reverseGeocode(_ coordinate: Coordinate) async throws -> Placemark {
        let address = try await indexes.search { searcher in try searcher.address(at: coordinate) }
        return Placemark(address, at: coordinate)
    }

    /// The positions that an address may mean, the likeliest first: "Städtle 5, Vaduz", street and number in either order.
    ///
    /// - Parameters:
    ///   - address: The address, or the name of a place.
    ///   - region: A region whose places, and those near it, come first; `nil` for none.
    /// - Throws: As ``LocalSearch/start()`` does.
    public func geocodeAddressString(_ address: String, in region: CoordinateRegion? = nil) async throws -> [Placemark]
    {
        let kinds = Set(FoundPlace.Kind.allCases).subtracting([.pointOfInterest])
        return try await indexes.search { searcher in
            try searcher.search(address, visible: region.flatMap { PlaceBounds($0) }, kinds: kinds, limit: 10)
        }.map { Placemark($0.address, at: $0.coordinate, name: $0.name) }
    }
}
