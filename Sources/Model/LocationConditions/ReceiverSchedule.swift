/// Decides when the receiver is needed while only conditions, visits and significant changes are wanted.
///
/// After each fix it computes the earliest time at which a border can be reached: from the distance to it less the
/// radius of doubt, and from the speed, which may grow by `acceleration` up to `topSpeed`. The receiver sleeps as long as
/// it will have a fix again
///
/// - before the border of a condition that is not satisfied is reached, so that no short passage is missed;
/// - early enough to report the exit from a satisfied condition within `latenessBound`.
///
/// It stays on within the radius of doubt of a border, while a change is being decided, and for a minute after one.
/// The bound holds if the receiver has a fix within `timeToFirstFix` after a sleep. Sleeps are too short for the orbits to
/// become outdated, so starts are hot: about 1 s (u-blox NEO-M8 data sheet), and some seconds until gpsd has recognized the
/// receiver. One that is slower (a warm start takes about 30 s) is started earlier after its first late fix.
package struct ReceiverSchedule: Hashable, Sendable {
    /// The greatest delay in seconds between the crossing of a border and its report.
    package var latenessBound = 30.0
    /// The speed in m/s up to which the bound holds; the measured speed if that is greater.
    package var topSpeed = 40.0
    /// The greatest acceleration in m/s²: a fast car's.
    package var acceleration = 4.0
    /// The time in seconds that a receiver needs for a fix after a sleep; longer if it has needed longer.
    package var timeToFirstFix = 10.0
    /// The time in seconds from the first fix to the report: a second fix, and their delays.
    package var confirmation = 3.0
    /// The shortest sleep in seconds that is worth it.
    package var shortestSleep = 5.0
    /// The longest sleep in seconds; less than what makes conditions unknown.
    package var longestSleep = 1200.0
    /// The time in seconds that a search without a fix lasts.
    package var searchTime = 60.0
    /// The pauses in seconds after the first search without a fix and the longest; each is twice as long as the last. The
    /// bound does not hold without satellites.
    package var pauses = 30.0...300.0

    private var slowestStart = 0.0
    private var failedSearches = 0
    private var lastEvent: ContinuousClock.Instant?
    private static let settling = Duration.seconds(60)

    /// A schedule with the values above.
    package init() {}

    /// The demand on the receiver.
    package enum Demand: Hashable, Sendable {
        /// Fixes without pause.
        case continuous
        /// No fixes until `until`; then fixes, for up to `searching` if there are none, which is followed by a call of
        /// ``ReceiverSchedule/searchFailed(at:)``.
        case asleep(until: ContinuousClock.Instant, searching: Duration)
    }

    /// Returns the demand after a fix.
    ///
    /// - Parameters:
    ///   - fix: The fix.
    ///   - speed: Its speed in m/s; `nil` if unknown, which counts as `topSpeed`.
    ///   - borders: The nearest borders (``ConditionSet/nearestBorders()``).
    ///   - isDeciding: True if a change is being decided (``ConditionSet/isDeciding``).
    ///   - hasEvents: True if the fix has changed a state.
    ///   - nextLook: The time at which something else needs a fix (``VisitMachine/nextLook``); `nil` if nothing does.
    package mutating func demand(
        after fix: ConditionFix, speed: Double?, borders: ConditionSet.NearestBorders, isDeciding: Bool,
        hasEvents: Bool, nextLook: ContinuousClock.Instant? = nil
    ) -> Demand {
        failedSearches = 0
        if hasEvents { lastEvent = fix.time }
        let (exit, entry) = (borders.exit - fix.doubt, borders.entry - fix.doubt)
        guard !isDeciding, exit > 0, entry > 0 else { return .continuous }
        if let lastEvent, lastEvent.duration(to: fix.time) < Self.settling { return .continuous }
        let starting = max(timeToFirstFix, slowestStart)
        let beforeEntry = timeToReach(entry, from: speed) - starting
        let afterExit = timeToReach(exit, from: speed) + latenessBound - starting - confirmation
        let other = nextLook.map { fix.time.duration(to: $0).seconds } ?? .infinity
        let sleep = min(min(beforeEntry, afterExit), min(longestSleep, other))
        return sleep < shortestSleep ? .continuous : asleep(from: fix.time, for: sleep)
    }

    /// Records the seconds from the end of a sleep to the first fix. A slow start counts less and less: half after 7 others.
    package mutating func receiverStarted(in seconds: Double) {
        slowestStart = max(min(seconds, searchTime), slowestStart * 0.9)
    }

    /// Returns the demand after `searchTime` without a fix.
    package mutating func searchFailed(at time: ContinuousClock.Instant) -> Demand {
        let pause = min(pauses.lowerBound * Double(1 << min(failedSearches, 16)), pauses.upperBound)
        failedSearches += 1
        return asleep(from: time, for: pause)
    }

    private func asleep(from time: ContinuousClock.Instant, for seconds: Double) -> Demand {
        .asleep(until: time + .seconds(seconds), searching: .seconds(searchTime))
    }

    /// The shortest time in seconds for `distance` metres from a measured speed in m/s.
    package func timeToReach(_ distance: Double, from speed: Double?) -> Double {
        guard distance.isFinite else { return .infinity }
        // A measured speed is wrong by up to 1 m/s.
        let speed = max(0, speed ?? topSpeed) + 1
        let top = max(topSpeed, speed)
        let untilTop = (top - speed) / acceleration
        let distanceUntilTop = (speed + top) / 2 * untilTop
        guard distance < distanceUntilTop else { return untilTop + (distance - distanceUntilTop) / top }
        return ((speed * speed + 2 * acceleration * distance).squareRoot() - speed) / acceleration
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
