/// A position with its derivatives, in a plane.
struct Kinematics: Sendable {
    var position, velocity, acceleration: SIMD2<Double>

    static let rest = Kinematics(position: .zero, velocity: .zero, acceleration: .zero)
}

/// Extrapolates a state: the velocity continues and the acceleration decays as in the model, except that braking to a
/// halt continues until standstill and never reverses. Movement slows down over the last second before `horizon` and
/// then ends.
struct Prediction: Sendable {
    let state: MotionState
    /// The end of the extrapolation, in seconds after the last fix; at least 1.
    let horizon: Double
    private let velocity, acceleration: SIMD2<Double>
    /// True if the user brakes hard enough to stand before the horizon; the braking is then assumed to continue.
    private let brakes: Bool
    /// The time of standstill, in seconds after the last fix.
    private let standstill: Double

    init(_ state: MotionState, horizon: Double) {
        self.state = state
        self.horizon = horizon
        // Shrink the velocity towards zero when it is within its own error, so that a standing user does not drift. The
        // third power leaves one alone that is clearly more: a walk is not much more than a receiver's error.
        let square = dot(state.velocity, state.velocity)
        let doubt = square > 0 ? min(Self.doubt * state.velocityVariance / square, 1) : 1
        let significance = 1 - doubt * doubt * doubt
        velocity = significance * state.velocity
        let forward = unit(velocity)
        // Weight the acceleration by the share of its square in the sum with its variance along both axes, so that a steady
        // walk is shown with a steady speed, and a braking car brakes.
        let squared = dot(state.acceleration, state.acceleration)
        let weight = squared > 0 ? significance * squared / (squared + 2 * state.accelerationVariance) : 0
        let along = weight * dot(state.acceleration, forward)
        let time = along < 0 ? length(velocity) / -along : .infinity
        brakes = time < horizon
        standstill = brakes ? time : .infinity
        // A braking user stops straight ahead: a remaining turn would be a sideways step.
        acceleration = brakes ? along * forward : weight * state.acceleration
    }

    /// The squared velocity, in variances, from which it counts: the 98 % quantile of χ² with two degrees of freedom.
    private static let doubt = 8.0

    /// The predicted position and motion, `interval` seconds after the last fix.
    func kinematics(after interval: Double) -> Kinematics {
        let time = min(eased(interval), standstill)
        let (velocityGain, positionGain, kept): (Double, Double, Double)
        if brakes {
            (velocityGain, positionGain, kept) = (time, time * time / 2, 1)
        } else {
            let transition = Dynamics.Transition(time, persistence: 1)
            (velocityGain, positionGain) = (transition.velocityGain, transition.positionGain)
            kept = transition.keptAcceleration
        }
        let position = state.position + time * velocity + positionGain * acceleration
        guard time < standstill else { return Kinematics(position: position, velocity: .zero, acceleration: .zero) }
        let pace = min(max(horizon - interval, 0), 1)
        return Kinematics(
            position: position,
            velocity: pace * (velocity + velocityGain * acceleration),
            acceleration: pace * kept * acceleration)
    }

    /// Time that slows down over the last second before the horizon and then stops.
    private func eased(_ interval: Double) -> Double {
        let late = min(max(interval - (horizon - 1), 0), 1)
        return min(interval, horizon - 1) + late - late * late / 2
    }
}
