import Glibc

/// A Kalman filter for a position, its velocity, its acceleration and the receiver's error, under one `ErrorModel`.
///
/// The acceleration is R. A. Singer's: a first-order Gauss–Markov process ("Estimating optimal tracking filter performance
/// for manned maneuvering targets", IEEE Trans. AES-6, 1970), which knows braking and turning from cruising after
/// a second or two. The error is in units of the stated sigma, so that it shrinks with it when a receiver gets better.
///
/// Noise is the same to the east and to the north, so both axes have the same covariance and gains: one 4×4 matrix, two
/// means.
struct KalmanFilter: Sendable {
    /// The parts of a mean, and of a row or column of the covariance.
    enum Part {
        static let position = 0, velocity = 1, acceleration = 2, error = 3
    }

    var east: SIMD4<Double>
    var north: SIMD4<Double>
    var covariance: Matrix4
    let model: ErrorModel
    /// The receiver's sigma by its last fix, in metres.
    private(set) var statedSigma: Double

    /// At the first fix: at `position`, give or take the receiver's error, with any velocity.
    init(model: ErrorModel, position: SIMD2<Double>, sigma: Double) {
        self.model = model
        statedSigma = sigma
        east = SIMD4(position.x, 0, 0, 0)
        north = SIMD4(position.y, 0, 0, 0)
        let white = model.whiteShare * sigma
        let speed = Dynamics.unknownSpeed * Dynamics.unknownSpeed
        let acceleration = Dynamics.acceleration * Dynamics.acceleration
        covariance = Matrix4(diagonal: SIMD4(white * white, speed, acceleration, 1))
        if model.correlationTime != nil {
            // The measured position is the true one plus the error.
            let lasting = lastingSigma
            covariance.rows.0 = SIMD4(lasting * lasting + white * white, 0, 0, -lasting)
            covariance.rows.3 = SIMD4(-lasting, 0, 0, 1)
        }
    }

    /// The part of the stated sigma that is not new at each fix, so that both together make all of it.
    private var lastingSigma: Double { statedSigma * (1 - model.whiteShare * model.whiteShare).squareRoot() }

    /// How far the position may be off for an error that this model does not estimate: a variance, in m².
    var unestimatedVariance: Double { model.correlationTime == nil ? statedSigma * statedSigma : 0 }

    /// Carries the state on by `interval` seconds, at most `Dynamics.longestGap`.
    mutating func predict(_ interval: Double) {
        var rest = interval
        while rest > 0 {
            let step = min(rest, Dynamics.longestStep)
            rest -= step
            let transition = Dynamics.Transition(step, persistence: model.persistence(over: step))
            transition.carry(&east)
            transition.carry(&north)
            transition.carry(&covariance)
            if model.correlationTime == nil {
                // What the receiver's own track wanders.
                let wander = Dynamics.wanderShare * statedSigma
                covariance.rows.0[Part.position] += wander * wander * step
            }
        }
    }

    /// Takes a velocity for that of the state, with its standard deviation along each axis, whatever was thought before.
    mutating func set(velocity: SIMD2<Double>, sigma: Double) {
        (east[Part.velocity], north[Part.velocity]) = (velocity.x, velocity.y)
        covariance.separate(Part.velocity)
        covariance.rows.1[Part.velocity] = sigma * sigma
    }

    /// How far a position may be off, as a square in standard deviations, before it is a jump of the receiver's error.
    private static let largestInnovation = 9.0

    /// Takes in a measured position with the sigma that the receiver states; the log-likelihood of it, but for a constant.
    mutating func update(position: SIMD2<Double>, sigma: Double) -> Double {
        statedSigma = sigma
        let white = model.whiteShare * sigma
        let share = model.correlationTime == nil ? 0 : lastingSigma
        let h = SIMD4(1, 0, 0, share)
        let innovation = position - SIMD2(dot(h, east), dot(h, north))
        let spread = dot(h, covariance.times(h)) + white * white
        let largest = dot(innovation, innovation) / Self.largestInnovation
        if largest > spread { covariance.rows.0[Part.position] += largest - spread }
        return update(SIMD4(1, 0, 0, share), position, variance: white * white)
    }

    /// Takes in a measured velocity with its standard deviation along each axis; the log-likelihood of it.
    mutating func update(velocity: SIMD2<Double>, sigma: Double) -> Double {
        update(SIMD4(0, 1, 0, 0), velocity, variance: sigma * sigma)
    }

    /// The user stands: no velocity, no acceleration, and no doubt about it but for `sigma`.
    mutating func stop(sigma: Double) {
        for part in [Part.velocity, Part.acceleration] {
            (east[part], north[part]) = (0, 0)
            covariance.separate(part)
        }
        covariance.rows.1[Part.velocity] = sigma * sigma
        covariance.rows.2[Part.acceleration] = sigma * sigma
    }

    /// One measurement of `h` times the state. The covariance in Joseph's form, which stays positive whatever is rounded.
    private mutating func update(_ h: SIMD4<Double>, _ measured: SIMD2<Double>, variance: Double) -> Double {
        let column = covariance.times(h)
        let spread = dot(h, column) + variance
        let gain = column / spread
        let innovation = measured - SIMD2(dot(h, east), dot(h, north))
        east += gain * innovation.x
        north += gain * innovation.y
        covariance.correct(gain: gain, h: h, variance: variance)
        return -log(spread) - dot(innovation, innovation) / (2 * spread)
    }
}
