public import LocationModel
public import MapModel
import PlaceSearch

/// A request for the points of interest around a coordinate (MapKit's `MKLocalPointsOfInterestRequest`), for
/// ``LocalSearch/init(request:)-(LocalPointsOfInterestRequest)``.
///
/// ```swift
/// var request = LocalPointsOfInterestRequest(center: harbour, radius: 2000)
/// request.pointOfInterestFilter = PointOfInterestFilter(including: [.cafe, .bakery])
/// for item in try await LocalSearch(request: request).start().mapItems { print(item.name) }
/// ```
public struct LocalPointsOfInterestRequest: Hashable, Sendable {
    /// The greatest radius, in metres (MapKit's `MKPointsOfInterestRequestMaxRadius`).
    public static let maximumRadius = 50_000.0

    /// The centre.
    public let coordinate: Coordinate
    /// The radius in metres, 0 to ``maximumRadius``.
    public let radius: Double
    /// The kinds of points to find; `nil`, the default, for all. The installed places have no kinds of their own for
    /// amusement parks and zoos, which are among the sights that are found, nor for beaches and stadiums, which are among
    /// places to swim and sports grounds.
    public var pointOfInterestFilter: PointOfInterestFilter?
    /// The greatest number of results. Default 25.
    public var limit = 25

    /// Creates a request for the points within `radius` metres of `center`, clamped to 0…``maximumRadius``.
    public init(center: Coordinate, radius: Double) {
        coordinate = center
        self.radius = radius > 0 ? min(radius, Self.maximumRadius) : 0
    }

    /// Creates a request for the points around the centre of a region, as far as its corners.
    public init(coordinateRegion region: CoordinateRegion) {
        let corner = Coordinate(
            clampingLatitude: region.center.latitude + region.span.latitudeDelta / 2,
            wrappingLongitude: region.center.longitude + min(region.span.longitudeDelta, 360) / 2)
        self.init(center: region.center, radius: region.center.distance(to: corner))
    }

    /// The greatest region within the radius.
    public var region: CoordinateRegion {
        CoordinateRegion(center: coordinate, latitudinalMeters: 2 * radius, longitudinalMeters: 2 * radius)
    }

    /// The identifiers of the places' categories.
    var categories: [String] {
        let filter = pointOfInterestFilter ?? .includingAll
        return PointOfInterestCategory.allCases.filter(filter.includes).flatMap(\.placeCategories)
    }
}

extension PointOfInterestCategory {
    /// The kind of the installed places of a category; `nil` if it has none.
    init?(placeCategory category: String) {
        // Each of these is wider than the kinds that include it.
        guard !["attraction", "swimming_pool", "sports_centre"].contains(category),
            let kind = Self.allCases.first(where: { $0.placeCategories.contains(category) })
        else { return nil }
        self = kind
    }

    /// The identifiers of the categories of installed places.
    var placeCategories: [String] {
        switch self {
        case .airport: ["airport"]
        case .amusementPark, .zoo: ["attraction"]
        case .beach: ["swimming_pool"]
        case .campground: ["camp_site"]
        case .carRental: ["car_rental"]
        case .evCharger: ["charging_station"]
        case .fitnessCenter: ["fitness_centre"]
        case .foodMarket: ["supermarket", "convenience"]
        case .gasStation: ["fuel"]
        case .hospital: ["hospital"]
        case .hotel: ["hotel", "guest_house", "alpine_hut"]
        case .movieTheater: ["cinema"]
        case .nightlife: ["bar", "pub", "nightclub", "casino"]
        case .parking: ["parking", "bicycle_parking"]
        case .placeOfWorship: ["place_of_worship"]
        case .postOffice: ["post_office", "post_box"]
        case .publicTransport:
            [
                "train_station", "subway_station", "subway_entrance", "tram_stop", "bus_station", "bus_stop",
                "ferry_terminal",
            ]
        case .restaurant: ["restaurant", "fast_food", "ice_cream"]
        case .restroom: ["toilets"]
        case .school: ["school", "kindergarten", "university"]
        case .stadium: ["sports_centre"]
        case .store:
            [
                "kiosk", "butcher", "beverages", "mall", "clothes", "electronics", "hardware", "furniture", "books",
                "toys", "jewelry", "florist", "sports_shop", "bicycle", "optician", "pet", "other_shop",
            ]
        case .theater: ["theatre"]
        case .atm, .bakery, .bank, .cafe, .laundry, .library, .marina, .museum, .pharmacy: [rawValue]
        }
    }
}
