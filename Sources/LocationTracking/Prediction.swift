import Glibc

/// A position with its derivatives, in a plane.
struct Kinematics: Sendable {
    var position, velocity, acceleration: SIMD2<Double>

    static let rest = Kinematics(position: .zero, velocity: .zero, acceleration: .zero)
}

/// How a state is carried on: the velocity goes on, the acceleration dies away as in the model.
///
/// It never turns a braking user back: where the speed would pass zero they stand. It comes to an end at `horizon`,
/// slowing down over the last second before.
struct Prediction: Sendable {
    let state: MotionState
    /// Until when it goes on, in seconds after the last fix; at least 1.
    let horizon: Double
    private let velocity, acceleration: SIMD2<Double>
    /// When braking comes to its end, in seconds after the last fix.
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
        // 1 − e^(−t/τ) = share is where the velocity along the way passes zero.
        let share = length(velocity) / max(-along * Dynamics.accelerationTime, .leastNormalMagnitude)
        let time = share < 1 ? -Dynamics.accelerationTime * log1p(-share) : .infinity
        standstill = time
        // Who comes to stand does so straight on: a rest of turning would be a sideways step.
        acceleration = time < horizon ? along * forward : significance * state.acceleration
    }

    /// How many variances of it a velocity's square has to be above to count.
    private static let doubt = 8.0

    /// Where the user is by the state, `interval` seconds after the last fix, and how they move.
    func kinematics(after interval: Double) -> Kinematics {
        let time = min(eased(interval), standstill)
        let transition = Dynamics.Transition(max(time, 0), persistence: 1)
        let position = state.position + time * velocity + transition.positionGain * acceleration
        guard time < standstill else { return Kinematics(position: position, velocity: .zero, acceleration: .zero) }
        let pace = min(max(horizon - interval, 0), 1)
        return Kinematics(
            position: position,
            velocity: pace * (velocity + transition.velocityGain * acceleration),
            acceleration: pace * transition.keptAcceleration * acceleration)
    }

    /// Time that slows down over the last second before the horizon and then stands.
    private func eased(_ interval: Double) -> Double {
        let late = min(max(interval - (horizon - 1), 0), 1)
        return min(interval, horizon - 1) + late - late * late / 2
    }
}
