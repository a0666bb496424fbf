public import LocationModel
public import MapModel
import PlaceSearch

/// A request for the places that an address may mean (MapKit's `MKGeocodingRequest`). It searches the installed map data;
/// nothing leaves the machine.
///
/// ```swift
/// if let request = GeocodingRequest(addressString: "Städtle 5, Vaduz") {
///     for item in try await request.mapItems { print(item.coordinate, item.address?.fullAddress ?? "") }
/// }
/// ```
public struct GeocodingRequest: Sendable {
    /// The address, with street and number in either order, or the name of a place.
    public let addressString: String
    /// A region whose places, and those near it, come first; `nil`, the default, for none.
    public var region: CoordinateRegion?
    private let indexes: PlaceIndexCache

    /// Creates a request for an address; `nil` if it is empty.
    public init?(addressString: String) { self.init(addressString: addressString, indexes: .shared) }

    package init?(addressString: String, indexes: PlaceIndexCache) {
        guard addressString.contains(where: { !$0.isWhitespace }) else { return nil }
        self.addressString = addressString
        self.indexes = indexes
    }

    /// The places, at most ten, the likeliest first; empty if nothing was found.
    ///
    /// - Throws: As ``LocalSearch/start()`` does.
    public var mapItems: [MapItem] {
        get async throws {
            try await Geocoder(indexes: indexes).places(for: addressString, in: region).map { MapItem($0) }
        }
    }
}

/// A request for the address of a location (MapKit's `MKReverseGeocodingRequest`). It searches the installed map data; nothing
/// leaves the machine.
public struct ReverseGeocodingRequest: Sendable {
    /// The location.
    public let location: Location
    private let indexes: PlaceIndexCache

    /// Creates a request for the address of a location. MapKit's initializer returns `nil` for a location that is not valid;
    /// here every location is.
    public init?(location: Location) { self.init(location: location, indexes: .shared) }

    package init(location: Location, indexes: PlaceIndexCache) {
        self.location = location
        self.indexes = indexes
    }

    /// The place, with the address as far as the data have it: the nearest street and number, the town and the country.
    ///
    /// - Throws: As ``LocalSearch/start()`` does.
    public var mapItems: [MapItem] {
        get async throws {
            let coordinate = location.coordinate
            return [MapItem(try await indexes.search { try $0.place(at: coordinate) })]
        }
    }
}
