import Glibc

/// The bearing that a screen shows: the direction of travel, brought from one fix to the next by the shorter way, and kept
/// while the user stands.
struct DisplayedBearing: Sendable {
    /// How fast a difference goes away, per second, and how fast a curve is followed at most, in radians a second.
    private static let rate = 5.0
    private static let largestTurn = 1.0

    /// The direction of travel at the fix, or the one that is kept; degrees from true north.
    private let degrees: Double
    /// How the direction changes, in degrees a second.
    private let turn: Double
    /// What was shown at the fix, less what is meant then.
    private let difference: Double

    /// What goes on from `shown` after a fix; `nil` as long as the user has not moved.
    ///
    /// - Parameters:
    ///   - isEased: a new direction is not shown at once.
    ///   - interval: how long ago the moment of the fix is when it arrives, in seconds.
    init?(_ state: MotionState, in plane: TangentPlane, from shown: Double?, isEased: Bool, interval: Double) {
        let speed = length(state.velocity)
        // Half a metre a second, and clearly more than its own error.
        guard speed > 0.5, speed * speed > 9 * state.velocityVariance, let place = plane.coordinate(of: state.position)
        else {
            guard let shown else { return nil }
            (degrees, turn, difference) = (shown, 0, 0)
            return
        }
        let course = plane.course(of: state.velocity, at: place)
        let (v, a) = (state.velocity, state.acceleration)
        let radians = speed > 2 ? (v.y * a.x - v.x * a.y) / (speed * speed) : 0
        let turn = min(max(radians, -Self.largestTurn), Self.largestTurn) * 180 / .pi
        (degrees, self.turn) = (course, turn)
        let from = isEased ? shown : nil
        difference = from.map { remainder($0 - course - turn * Self.turned(interval), 360) } ?? 0
    }

    /// In degrees from true north, 0 up to 360.
    ///
    /// - Parameters:
    ///   - interval: the seconds since the moment of the fix.
    ///   - age: the seconds since it arrived.
    func degrees(after interval: Double, age: Double) -> Double {
        normalized(degrees: degrees + turn * Self.turned(interval) + difference * exp(-Self.rate * age))
    }

    /// For how long of `interval` a curve goes on.
    private static func turned(_ interval: Double) -> Double { -expm1(-interval) }
}
