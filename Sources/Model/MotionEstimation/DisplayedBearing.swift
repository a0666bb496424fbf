import LocationModel
import Glibc

/// The bearing to show: the direction of travel, turned smoothly by the shorter way from fix to fix, and kept at
/// standstill.
struct DisplayedBearing: Sendable {
    /// The decay rate of a difference, per second, and the fastest turn that is followed, in radians a second.
    private static let rate = 5.0
    private static let largestTurn = 1.0

    /// The direction of travel at the fix, or the kept one, in degrees from true north.
    private let degrees: Double
    /// The rate of turn, in degrees a second.
    private let turn: Double
    /// The difference between the shown and the estimated bearing at the fix.
    private let difference: Double

    /// The bearing after a fix, starting at `shown`; `nil` as long as the user has not moved.
    ///
    /// - Parameters:
    ///   - isEased: true to turn to a new direction gradually.
    ///   - interval: the age of the fix at its arrival, in seconds.
    init?(_ state: MotionState, in plane: TangentPlane, from shown: Double?, isEased: Bool, interval: Double) {
        let speed = length(state.velocity)
        // Moving means at least half a metre a second, and clearly more than the error of the velocity: the 99.8 %
        // quantile of χ² with two degrees of freedom.
        guard speed > 0.5, speed * speed > 12 * state.velocityVariance, let place = plane.coordinate(of: state.position)
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

    /// The bearing in degrees from true north, 0 up to 360.
    ///
    /// - Parameters:
    ///   - interval: the seconds since the time of the fix.
    ///   - age: the seconds since its arrival.
    func degrees(after interval: Double, age: Double) -> Double {
        normalized(degrees: degrees + turn * Self.turned(interval) + difference * exp(-Self.rate * age))
    }

    /// The part of `interval` for which a turn is extrapolated.
    private static func turned(_ interval: Double) -> Double { -expm1(-interval) }
}
