import LocationInterface
import LocationModel

/// Which of the locations that a client may have one subscription of it delivers.
///
/// Distances and intervals count from the last location that was delivered, not from the last that came; intervals by
/// the locations' own times, which do not jitter as their arrivals do. The first location and the one that ends a
/// diagnostic are delivered however near and soon they are: they say that locations flow.
struct LocationFilter {
    /// What becomes of a location.
    enum Verdict {
        case deliver, leaveOut
        /// It shows that the user stays where they are, and is left out for that.
        case pause
    }

    /// How far and how long apart the locations of a significant-change subscription are; either is enough. Core
    /// Location's are 500 m apart.
    static let significantDistance = 500.0
    static let significantInterval = Duration.seconds(300)

    /// Whether only significant changes are delivered.
    let isSignificant: Bool
    /// In metres.
    private var distance: Double
    private var interval: Duration
    private let accuracy: Double
    private var standstill: Standstill?
    /// Where and when the last delivered location was. Not all of it: this is written with every delivery.
    private var last: (coordinate: Coordinate, timestamp: Timestamp)?

    /// Filters by parameters that have been checked.
    init(_ parameters: LocationInterface.Subscribe.Parameters = .init()) {
        isSignificant = parameters.significantChanges ?? false
        distance = parameters.distanceFilter ?? 0
        interval = .seconds(parameters.minimumInterval ?? 0)
        accuracy = parameters.desiredAccuracy ?? .infinity
        standstill = parameters.pausesLocationUpdatesAutomatically == true ? Standstill() : nil
    }

    /// Filters by these from now on: metres, and what elapses between two locations.
    mutating func setThresholds(distance: Double, interval: Duration) {
        (self.distance, self.interval) = (distance, interval)
    }

    /// Looks at a location that came.
    ///
    /// - Parameter isAwaited: whether the client was last told why there is none.
    mutating func judge(_ location: Location, isAwaited: Bool) -> Verdict {
        if let radius = location.horizontalAccuracy, radius > accuracy { return .leaveOut }
        if standstill?.lasts(with: location) == true { return .pause }
        guard let last, !isAwaited else { return .deliver }
        let elapsed = location.timestamp.duration(since: last.timestamp)
        // Nobody is left without locations because a clock was set back.
        if (.zero..<interval).contains(elapsed) { return .leaveOut }
        func isApart(by distance: Double) -> Bool { location.coordinate.distance(to: last.coordinate) >= distance }
        if distance > 0, !isApart(by: distance) { return .leaveOut }
        if isSignificant, (.zero..<Self.significantInterval).contains(elapsed), !isApart(by: Self.significantDistance) {
            return .leaveOut
        }
        return .deliver
    }

    /// Whether this is the location that was delivered last.
    func hasDelivered(_ location: Location) -> Bool {
        last.map { $0 == (location.coordinate, location.timestamp) } ?? false
    }

    /// Notes that this was delivered.
    mutating func delivered(_ location: Location) {
        last = (location.coordinate, location.timestamp)
    }
}

/// Sees when the user has stayed in one place for a while, and when they leave it.
///
/// Staying is not to leave a circle around where they came to rest for two minutes. Its radius is 20 m, which a walker
/// leaves in a quarter of a minute, or 2.5 times the 68 % radius of the location, which in a normal distribution holds
/// 99.9 % of what the receiver says of a place.
private struct Standstill {
    private static let duration = Duration.seconds(120)
    private static let radius = 20.0
    /// What a location of unknown accuracy is taken for, in metres.
    private static let unknownAccuracy = 20.0

    private var rest: (coordinate: Coordinate, since: Timestamp)?

    /// Takes in a location and says whether the user stays, as far as is known by then.
    mutating func lasts(with location: Location) -> Bool {
        let radius = max(Self.radius, 2.5 * (location.horizontalAccuracy ?? Self.unknownAccuracy))
        if let rest, location.timestamp >= rest.since, location.coordinate.distance(to: rest.coordinate) <= radius {
            return location.timestamp.duration(since: rest.since) >= Self.duration
        }
        rest = (location.coordinate, location.timestamp)
        return false
    }
}

/// Which headings one subscription delivers: those that differ enough from the last one delivered.
struct HeadingFilter {
    /// In degrees, 0 to 180.
    private let difference: Double
    private var last: Double?

    /// Delivers headings that differ by so many degrees.
    init(difference: Double) { self.difference = difference }

    /// Whether a heading is to be delivered.
    func passes(_ heading: Heading) -> Bool {
        guard let last else { return true }
        let turn = (heading.trueHeading - last).truncatingRemainder(dividingBy: 360)
        return min(abs(turn), 360 - abs(turn)) >= difference
    }

    /// Notes that this was delivered.
    mutating func delivered(_ heading: Heading) { last = heading.trueHeading }
}
