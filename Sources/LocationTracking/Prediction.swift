import Glibc

/// A position with its derivatives, in a plane.
struct Kinematics: Sendable {
    var position, velocity, acceleration: SIMD2<Double>

    static let rest = Kinematics(position: .zero, velocity: .zero, acceleration: .zero)
}

/// How a state is carried on: the velocity goes on, the acceleration dies away as in the model, but for a braking to
/// a stand, which goes on until they stand and never turns them back. It comes to an end at `horizon`,
/// slowing down over the last second before.
struct Prediction: Sendable {
    let state: MotionState
    /// Until when it goes on, in seconds after the last fix; at least 1.
    let horizon: Double
    private let velocity, acceleration: SIMD2<Double>
    /// The user brakes so that they will stand before the horizon: nobody lets go of the brake before that.
    private let brakes: Bool
    /// When they stand, in seconds after the last fix.
    private let standstill: Double

    init(_ state: MotionState, horizon: Double) {
        self.state = state
        self.horizon = horizon
        // None of a velocity that is within its own error, so that standing still is.
        let square = dot(state.velocity, state.velocity)
        let significance = square > 0 ? max(0, 1 - Self.doubt * state.velocityVariance / square) : 0
        velocity = significance * state.velocity
        let forward = unit(velocity)
        let along = significance * dot(state.acceleration, forward)
        let time = along < 0 ? length(velocity) / -along : .infinity
        brakes = time < horizon
        standstill = brakes ? time : .infinity
        // Who comes to stand does so straight on: a rest of turning would be a sideways step.
        acceleration = brakes ? along * forward : significance * state.acceleration
    }

    /// How many of its variances the square of a velocity has to be to count: the 95 % quantile of χ² with two degrees of
    /// freedom.
    private static let doubt = 6.0

    /// Where the user is by the state, `interval` seconds after the last fix, and how they move.
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

    /// Time that slows down over the last second before the horizon and then stands.
    private func eased(_ interval: Double) -> Double {
        let late = min(max(interval - (horizon - 1), 0), 1)
        return min(interval, horizon - 1) + late - late * late / 2
    }
}
