/// A kind of points of interest (MapKit's `MKPointOfInterestCategory`).
public enum PointOfInterestCategory: String, Codable, Hashable, Sendable, CaseIterable {
    case airport, amusementPark, atm, bakery, bank, beach, cafe, campground, carRental, evCharger, fitnessCenter
    case foodMarket, gasStation, hospital, hotel, laundry, library, marina, movieTheater, museum, nightlife, parking
    case pharmacy, placeOfWorship, postOffice, publicTransport, restaurant, restroom, school, stadium, store, theater
    case zoo

    /// The kinds of the page, OpenStreetMap's values, or families of such kinds.
    var names: [String] {
        switch self {
        case .airport: ["aerodrome", "airport", "helipad"]
        case .amusementPark: ["theme_park", "water_park"]
        case .beach: ["beach_resort", "swimming_area"]
        case .campground: ["camp_site", "caravan_site"]
        case .carRental: ["car_rental"]
        case .evCharger: ["charging_station"]
        case .fitnessCenter: ["fitness_centre", "sports_centre"]
        case .foodMarket: ["supermarket", "convenience", "grocery", "greengrocer", "marketplace"]
        case .gasStation: ["fuel"]
        case .hospital: ["hospital", "clinic"]
        case .hotel: ["hotel", "hostel", "guest_house", "motel", "chalet", "apartment", "alpine_hut"]
        case .laundry: ["laundry", "dry_cleaning"]
        case .movieTheater: ["cinema"]
        case .nightlife: ["pub", "bar", "nightclub", "biergarten", "casino"]
        case .parking: ["parking", "bicycle_parking", "motorcycle_parking"]
        case .placeOfWorship: ["religion"]
        case .postOffice: ["post_office", "post_box"]
        case .publicTransport:
            [
                "station", "halt", "subway", "subway_entrance", "tram_stop", "bus_station", "bus_stop",
                "ferry_terminal",
            ]
        case .restaurant: ["restaurant", "fast_food", "food_court", "ice_cream"]
        case .restroom: ["toilets"]
        case .school: ["school", "kindergarten", "university", "college", "music_school"]
        case .store: ["shop"]
        case .theater: ["theatre"]
        case .atm, .bakery, .bank, .cafe, .library, .marina, .museum, .pharmacy, .stadium, .zoo: [rawValue]
        }
    }
}

/// The points of interest that a map shows (MapKit's `MKPointOfInterestFilter`).
public struct PointOfInterestFilter: Hashable, Sendable {
    private let categories: [PointOfInterestCategory]
    private let includes: Bool

    /// Creates a filter that shows only points of `categories`.
    public init(including categories: [PointOfInterestCategory]) { (self.categories, includes) = (categories, true) }

    /// Creates a filter that shows all points but those of `categories`.
    public init(excluding categories: [PointOfInterestCategory]) { (self.categories, includes) = (categories, false) }

    /// Shows all points.
    public static let includingAll = PointOfInterestFilter(excluding: [])
    /// Shows no points.
    public static let excludingAll = PointOfInterestFilter(including: [])

    /// True if the filter shows points of `category`.
    public func includes(_ category: PointOfInterestCategory) -> Bool { categories.contains(category) == includes }

    /// True if the filter hides points of `category`.
    public func excludes(_ category: PointOfInterestCategory) -> Bool { !includes(category) }

    /// True if the filter shows points that belong to no category.
    var includesOthers: Bool { !includes }

    var wire: WirePointFilter { WirePointFilter(names: categories.flatMap(\.names), includes: includes) }
}
