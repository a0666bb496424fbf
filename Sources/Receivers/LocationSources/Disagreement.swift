import LocationModel
import NIOCore

/// The disagreement of a source with another one: their positions are farther apart than their radii explain.
///
/// It counts after ``leastFixes`` fixes in a row and ``leastTime``, so that the moment in which one of them catches up does not.
struct Disagreement {
    static let leastFixes = 10
    static let leastTime = TimeAmount.seconds(10)
    /// The distance in metres that is always forgiven. Indoors a receiver is wrong by more than it says.
    static let forgiven = 200.0
    /// The speed that a position without one allows for, in metres a second.
    static let usualSpeed = 60.0

    private var fixes = 0
    private var since: NIODeadline?
    private var metres = 0.0

    /// Compares two positions. `time` is the difference of their ages.
    mutating func compare(_ one: Location, _ other: Location, apart time: TimeAmount, at now: NIODeadline) {
        let speed = max(one.speed ?? Self.usualSpeed, other.speed ?? Self.usualSpeed)
        let radii = (one.horizontalAccuracy ?? 0) + (other.horizontalAccuracy ?? 0)
        metres = one.distance(from: other)
        guard metres > speed * Double(time.nanoseconds) / 1e9 + 3 * radii + Self.forgiven else {
            return self = Disagreement()
        }
        fixes += 1
        since = since ?? now
    }

    /// The doubt about one of the two, which names the other; `nil` while they agree.
    func doubt(naming source: String, at now: NIODeadline) -> SourceDoubt? {
        guard let since, fixes >= Self.leastFixes, now >= since + Self.leastTime else { return nil }
        return SourceDoubt(
            sign: .disagreement(metres: metres, source: source), age: .nanoseconds((now - since).nanoseconds))
    }
}
