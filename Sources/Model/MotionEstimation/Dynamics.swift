import Glibc

/// The motion model for people and vehicles: its constants and its state transition.
enum Dynamics {
    /// The standard deviation of the acceleration, in m/s²: a car in town brakes and corners with 1 to 3, a pedestrian
    /// starts and stops with about 1.
    static let acceleration = 1.5
    /// The correlation time of the acceleration, in seconds: the duration of a corner or a braking.
    static let accelerationTime = 3.0
    /// The standard deviation of an unknown velocity along one axis, in m/s.
    static let unknownSpeed = 15.0
    /// The gap between fixes, in seconds, after which the estimate is discarded.
    static let longestGap = 60.0
    /// The longest step of a prediction, in seconds; the noise below is that of a short step.
    static let longestStep = 0.5
    /// The random walk of a receiver's own track per second, as a share of its sigma, under a constant error model.
    static let wanderShare = 0.1

    /// The state transition over one step.
    struct Transition {
        let step: Double
        /// The remaining share of the acceleration, and its contributions to velocity and position.
        let keptAcceleration, velocityGain, positionGain: Double
        /// The remaining share of the receiver's error.
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
