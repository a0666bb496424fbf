import Glibc

/// How people and vehicles move: the numbers of the motion model, and how it carries a state on.
enum Dynamics {
    /// The standard deviation of an acceleration, in m/s²: a car in town brakes and corners with 1 to 3, someone on foot
    /// starts and stops with about 1.
    static let acceleration = 1.5
    /// How long an acceleration lasts, in seconds: a corner, a braking.
    static let accelerationTime = 3.0
    /// The standard deviation of a velocity of which nothing is known, along one axis, in m/s.
    static let unknownSpeed = 15.0
    /// A gap in the fixes longer than this many seconds: what was known is of no use any more.
    static let longestGap = 60.0
    /// The steps that a prediction is made in, in seconds: the noise below is that of a short one.
    static let longestStep = 0.5
    /// How far a receiver's own track wanders in a second when its error is taken to stay, as a share of its sigma.
    static let wanderShare = 0.1

    /// What happens to a state within one step.
    struct Transition {
        let step: Double
        /// How much of the acceleration is left, and what it adds to the velocity and to the position.
        let keptAcceleration, velocityGain, positionGain: Double
        /// How much of the receiver's error is left.
        let persistence: Double

        init(_ step: Double, persistence: Double) {
            self.step = step
            self.persistence = persistence
            let time = Dynamics.accelerationTime
            velocityGain = -time * expm1(-step / time)
            keptAcceleration = 1 - velocityGain / time
            positionGain = time * (step - velocityGain)
        }

        func carry(_ mean: inout SIMD4<Double>) {
            mean.x += step * mean.y + positionGain * mean.z
            mean.y += velocityGain * mean.z
            mean.z *= keptAcceleration
            mean.w *= persistence
        }

        /// F·P·Fᵀ + Q. The noise is white noise on the derivative of the acceleration, integrated over a step that is
        /// short against `accelerationTime` (Bar-Shalom, Li and Kirubarajan, "Estimation with Applications to Tracking
        /// and Navigation", 2001, section 6.2.3).
        func carry(_ covariance: inout Matrix4) {
            carryRows(&covariance)
            covariance.transpose()
            carryRows(&covariance)
            let t = step
            let q = 2 * Dynamics.acceleration * Dynamics.acceleration / Dynamics.accelerationTime * t
            let (t2, t3, t4): (Double, Double, Double) = (t * t, t * t * t, t * t * t * t)
            covariance.rows.0 += q * SIMD4<Double>(t4 / 20, t3 / 8, t2 / 6, 0)
            covariance.rows.1 += q * SIMD4<Double>(t3 / 8, t2 / 3, t / 2, 0)
            covariance.rows.2 += q * SIMD4<Double>(t2 / 6, t / 2, 1, 0)
            covariance.rows.3[3] += 1 - persistence * persistence
        }

        private func carryRows(_ m: inout Matrix4) {
            m.rows.0 += step * m.rows.1 + positionGain * m.rows.2
            m.rows.1 += velocityGain * m.rows.2
            m.rows.2 *= keptAcceleration
            m.rows.3 *= persistence
        }
    }
}
