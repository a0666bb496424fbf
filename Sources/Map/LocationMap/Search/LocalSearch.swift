public import LocationModel
public import MapModel
import PlaceSearch

/// A search for places by a typed text (MapKit's `MKLocalSearch`). It searches the installed map data; nothing leaves the
/// machine, and queries are not kept.
///
/// ```swift
/// var request = LocalSearch.Request(naturalLanguageQuery: "coffee near the harbour")
/// request.region = map.region
/// for item in try await LocalSearch(request: request).start().mapItems { print(item.name) }
/// ```
public struct LocalSearch: Sendable {
    /// A set of kinds of places.
    public struct ResultType: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Streets, house numbers, towns and countries.
        public static let address = ResultType(rawValue: 1)
        /// Shops, stations, peaks and other places with a name or a use.
        public static let pointOfInterest = ResultType(rawValue: 2)
        /// All kinds.
        public static let all: ResultType = [.address, .pointOfInterest]

        var kinds: Set<FoundPlace.Kind>? {
            if isSuperset(of: .all) { return nil }
            if contains(.pointOfInterest) { return [.pointOfInterest] }
            return Set(FoundPlace.Kind.allCases).subtracting([.pointOfInterest])
        }
    }

    /// The importance of a request's region (MapKit's `MKLocalSearch.RegionPriority`).
    public enum RegionPriority: Hashable, Sendable {
        /// Places within it, and those near it, come first.
        case `default`
        /// Only places within it are found.
        case required
    }

    /// A search request (MapKit's `MKLocalSearch.Request`).
    public struct Request: Hashable, Sendable {
        /// The text as typed: a name, a category, both, an address, a coordinate or a plus code. `nil` finds nothing.
        public var naturalLanguageQuery: String?
        /// The region whose places, and those near it, come first; `nil`, the default, for the whole world. A text that names
        /// a category alone, such as "coffee", finds places of that category in and near the region only.
        public var region: CoordinateRegion?
        /// The coordinate near which places come first, such as the user's location, if it is in ``region`` or there is none;
        /// `nil`, the default, for the centre of ``region``.
        public var center: Coordinate?
        /// The kinds of places to find. Default all.
        public var resultTypes: ResultType = .all
        /// The points of interest to find; `nil`, the default, for all. Streets and towns are not affected.
        public var pointOfInterestFilter: PointOfInterestFilter?
        /// Required for places within ``region`` alone. Default: they come first.
        public var regionPriority = RegionPriority.default
        /// The greatest number of results. Default 25.
        public var limit = 25

        /// Creates a request for a text.
        public init(naturalLanguageQuery: String? = nil, region: CoordinateRegion? = nil) {
            self.naturalLanguageQuery = naturalLanguageQuery
            self.region = region
        }

        /// Creates a request for a chosen completion.
        public init(completion: LocalSearchCompletion, region: CoordinateRegion? = nil) {
            self.init(naturalLanguageQuery: completion.query, region: region)
        }
    }

    /// The result of a search.
    public struct Response: Hashable, Sendable {
        /// The places, the likeliest first; empty if nothing was found.
        public let mapItems: [MapItem]
        /// The smallest region that contains all places; `nil` if nothing was found.
        public let boundingRegion: CoordinateRegion?

        /// A response with these places, for tests of what receives it.
        public init(mapItems: [MapItem], boundingRegion: CoordinateRegion? = nil) {
            (self.mapItems, self.boundingRegion) = (mapItems, boundingRegion)
        }
    }

    private enum Subject {
        case text(Request)
        case pointsOfInterest(LocalPointsOfInterestRequest)
    }

    private let subject: Subject
    private let indexes: PlaceIndexCache

    /// Creates a search. It runs at ``start()``.
    public init(request: Request) { self.init(request: request, indexes: .shared) }

    /// Creates a search for the points of interest around a coordinate, the nearest first. It runs at ``start()``.
    public init(request: LocalPointsOfInterestRequest) { self.init(request: request, indexes: .shared) }

    package init(request: Request, indexes: PlaceIndexCache) {
        subject = .text(request)
        self.indexes = indexes
    }

    package init(request: LocalPointsOfInterestRequest, indexes: PlaceIndexCache) {
        subject = .pointsOfInterest(request)
        self.indexes = indexes
    }

    /// Runs the search.
    ///
    /// - Throws: `PlaceIndexError` if the installed places cannot be read or the search failed; another error if no
    ///   places are installed, whose description names the command that installs them.
    public func start() async throws -> Response {
        let places = try await indexes.search { [subject] searcher in
            switch subject {
            case .text(let request):
                Array(
                    try searcher.search(
                        request.naturalLanguageQuery ?? "", near: request.center,
                        visible: request.region.flatMap { PlaceBounds($0) },
                        kinds: request.resultTypes.kinds, limit: request.isNarrowed ? 200 : request.number
                    ).filter(request.includes).prefix(request.number))
            case .pointsOfInterest(let request):
                try searcher.places(
                    of: request.categories, near: request.coordinate, radius: request.radius,
                    limit: max(0, min(request.limit, 200)))
            }
        }
        return Response(mapItems: places.map { MapItem($0) }, boundingRegion: Self.region(of: places))
    }

    private static func region(of places: [FoundPlace]) -> CoordinateRegion? {
        let longitudes = places.flatMap { $0.bounds.map { [$0[0], $0[2]] } ?? [$0.longitude] }
        let latitudes = places.flatMap { $0.bounds.map { [$0[1], $0[3]] } ?? [$0.latitude] }
        guard let west = longitudes.min(), let east = longitudes.max(), let south = latitudes.min(),
            let north = latitudes.max()
        else { return nil }
        return PlaceBounds(west: west, south: south, east: east, north: north).map { CoordinateRegion($0) }
    }
}

extension LocalSearch.Request {
    /// The number of results, 0 to 200.
    fileprivate var number: Int { max(0, min(limit, 200)) }

    /// True if it leaves out some results of the search, other than whole kinds.
    var isNarrowed: Bool { pointOfInterestFilter != nil || regionPriority == .required && region != nil }

    /// True for a place that the types, the filter and the region include.
    func includes(_ place: FoundPlace) -> Bool {
        if let kinds = resultTypes.kinds, !kinds.contains(place.kind) { return false }
        if let region, regionPriority == .required, !region.contains(place.coordinate) { return false }
        return place.category.map(includes) ?? true
    }

    /// True for a suggestion of a place that it includes, or of a category whose places it includes.
    func includes(_ suggestion: PlaceSuggestion) -> Bool {
        if let place = suggestion.place { return includes(place) }
        return resultTypes.contains(.pointOfInterest) && (suggestion.category.map(includes) ?? true)
    }

    /// True for a category of places that the filter includes.
    private func includes(_ category: String) -> Bool {
        guard let filter = pointOfInterestFilter else { return true }
        return PointOfInterestCategory(placeCategory: category).map(filter.includes) ?? filter.includesOthers
    }
}
