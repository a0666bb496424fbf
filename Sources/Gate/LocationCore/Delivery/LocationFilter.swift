import LocationModel

/// Selects the locations that a subscription delivers.
///
/// Distances and intervals are measured from the last delivered location, intervals by the locations' own times, which
/// do not jitter like their arrivals. They do not apply to the first location and to the one after a diagnostic, which
/// show that locations flow. The desired accuracy and the pause of a stationary user apply to every location.
struct LocationFilter {
    /// The decision about a location.
    enum Outcome {
        case deliver, reject
        /// The user is stationary, so the location is not delivered.
        case pause
    }

    /// The distance and the interval of a significant-change subscription; either is sufficient. Core Location
    /// documents 500 m.
    static let significantDistance = 500.0
    static let significantInterval = Duration.seconds(300)

    /// True if only significant changes are delivered.
    let isSignificant: Bool
    /// The distance filter in metres.
    private var distance: Double
    private(set) var interval: Duration
    private let thinning: Thinning?
    private let accuracy: Double
    private var standstill: Standstill?
    /// The parts of the last delivered location that the next is compared with; not all of it, because it is written with every delivery.
    private var last: (coordinate: Coordinate, timestamp: Timestamp, radius: Double?)?
    /// The last delivered location, if locations are left out that it predicts.
    private var reference: Thinning.Reference?

    /// Filters with validated parameters.
    init(_ options: SubscriptionOptions = .init()) {
        isSignificant = options.significantChanges
        distance = options.distanceFilter
        interval = .seconds(options.minimumInterval)
        thinning = options.thinning
        accuracy = options.desiredAccuracy ?? .infinity
        standstill = options.pausesAutomatically ? Standstill() : nil
    }

    /// Changes the minimum distance in metres and the minimum interval between two locations.
    mutating func setThresholds(distance: Double, interval: Duration) {
        (self.distance, self.interval) = (distance, interval)
    }

    /// Decides about a new location.
    ///
    /// - Parameter isAwaited: true if the client was last told why there is no location.
    mutating func judge(_ location: Location, isAwaited: Bool) -> Outcome {
        if let radius = location.horizontalAccuracy, radius > accuracy { return .reject }
        if standstill?.lasts(with: location) == true { return .pause }
        guard let last, !isAwaited else { return .deliver }
        let elapsed = location.timestamp.duration(since: last.timestamp)
        // A clock set back must not stop deliveries.
        if (.zero..<interval).contains(elapsed) { return .reject }
        func isApart(by distance: Double) -> Bool { location.coordinate.distance(to: last.coordinate) >= distance }
        if distance > 0, !isApart(by: distance) { return .reject }
        if let thinning, !thinning.keeps(location, after: reference) { return .reject }
        if isSignificant, (.zero..<Self.significantInterval).contains(elapsed), !isApart(by: Self.significantDistance) {
            return .reject
        }
        return .deliver
    }

    /// The distance in metres and the time after which the next significant change is delivered; `nil` before the first.
    func nextSignificantChange(after location: Location) -> (distance: Double, interval: Duration)? {
        guard let last else { return nil }
        let elapsed = location.timestamp.duration(since: last.timestamp)
        return (
            max(0, Self.significantDistance - location.coordinate.distance(to: last.coordinate)),
            max(.zero, min(Self.significantInterval, Self.significantInterval - elapsed))
        )
    }

    /// True if this location was delivered last, or the same place with the same accuracy at another time.
    func hasDelivered(_ location: Location, atAnyTime: Bool = false) -> Bool {
        guard let last, last.coordinate == location.coordinate else { return false }
        return atAnyTime ? last.radius == location.horizontalAccuracy : last.timestamp == location.timestamp
    }

    /// Records a delivery.
    mutating func delivered(_ location: Location) {
        last = (location.coordinate, location.timestamp, location.horizontalAccuracy)
        if thinning != nil { reference = Thinning.Reference(location) }
    }
}

/// Detects that the user is stationary.
///
/// The user is stationary after two minutes within a circle around one location. Its radius is 20 m, which a walker
/// leaves in a quarter of a minute, or 2.5 times the location's 68 % radius, which holds 99.9 % of a normal
/// distribution.
private struct Standstill {
    private static let duration = Duration.seconds(120)
    private static let radius = 20.0
    /// The assumed accuracy of a location without one, in metres.
    private static let unknownAccuracy = 20.0

    private var rest: (coordinate: Coordinate, since: Timestamp)?

    /// Processes a location; returns true if the user is stationary.
    mutating func lasts(with location: Location) -> Bool {
        let radius = max(Self.radius, 2.5 * (location.horizontalAccuracy ?? Self.unknownAccuracy))
        if let rest, location.timestamp >= rest.since, location.coordinate.distance(to: rest.coordinate) <= radius {
            return location.timestamp.duration(since: rest.since) >= Self.duration
        }
        rest = (location.coordinate, location.timestamp)
        return false
    }
}

/// Selects the headings that a subscription delivers: those that differ enough from the last delivered one.
struct HeadingFilter {
    /// The smallest difference in degrees, 0 to 180.
    private let difference: Double
    private var last: Double?

    /// A filter for differences of at least this many degrees.
    init(difference: Double) { self.difference = difference }

    /// True if the heading is to be delivered.
    func passes(_ heading: Heading) -> Bool {
        guard let last else { return true }
        let turn = (heading.trueHeading - last).truncatingRemainder(dividingBy: 360)
        return min(abs(turn), 360 - abs(turn)) >= difference
    }

    /// Records a delivery.
    mutating func delivered(_ heading: Heading) { last = heading.trueHeading }
}
