import Glibc

/// A Kalman filter for a position, its velocity, its acceleration and the receiver's error, under one `ErrorModel`.
///
/// The acceleration is R. A. Singer's: a first-order Gauss–Markov process ("Estimating optimal tracking filter
/// performance for manned maneuvering targets", IEEE Trans. AES-6, 1970), which distinguishes braking and turning from cruising
/// after a second or two. The error is in units of the stated sigma, so that it shrinks when a receiver's accuracy
/// improves.
///
/// Noise is equal to the east and to the north, so both axes share one 4×4 covariance and its gains, and have a mean
/// each.
struct KalmanFilter: Sendable {
    /// The components of a mean, and of a row or column of the covariance.
    enum Part {
        static let position = 0, velocity = 1, acceleration = 2, error = 3
    }

    var east: SIMD4<Double>
    var north: SIMD4<Double>
    var covariance: Matrix4
    let model: ErrorModel
    /// The receiver's sigma at its last fix, in metres.
    private(set) var statedSigma: Double

    /// The state at the first fix: at `position` with the receiver's error, and an unknown velocity.
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

    /// The lasting part of the stated sigma; together with the white noise it makes up the whole.
    private var lastingSigma: Double { statedSigma * (1 - model.whiteShare * model.whiteShare).squareRoot() }

    /// The variance of the position, in m², due to an error that this model does not estimate.
    var unestimatedVariance: Double { model.correlationTime == nil ? statedSigma * statedSigma : 0 }

    /// Predicts the state `interval` seconds ahead, at most `Dynamics.longestGap`.
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
                // The random walk of the receiver's own track.
                let wander = Dynamics.wanderShare * statedSigma
                covariance.rows.0[Part.position] += wander * wander * step
            }
        }
    }

    /// Overwrites the velocity with a measured one and its standard deviation along each axis.
    mutating func set(velocity: SIMD2<Double>, sigma: Double) {
        (east[Part.velocity], north[Part.velocity]) = (velocity.x, velocity.y)
        covariance.separate(Part.velocity)
        covariance.rows.1[Part.velocity] = sigma * sigma
    }

    /// The squared distance in standard deviations above which a position counts as a jump of the receiver's error.
    private static let largestInnovation = 9.0

    /// Updates the state with a measured position and the stated sigma. Returns its log-likelihood up to a constant.
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

    /// Updates the state with a measured velocity and its standard deviation along each axis. Returns its
    /// log-likelihood.
    mutating func update(velocity: SIMD2<Double>, sigma: Double) -> Double {
        update(SIMD4(0, 1, 0, 0), velocity, variance: sigma * sigma)
    }

    /// Sets velocity and acceleration to zero, certain but for `sigma`, because the user stands.
    mutating func stop(sigma: Double) {
        for part in [Part.velocity, Part.acceleration] {
            (east[part], north[part]) = (0, 0)
            covariance.separate(part)
        }
        covariance.rows.1[Part.velocity] = sigma * sigma
        covariance.rows.2[Part.acceleration] = sigma * sigma
    }

    /// Updates the state with one measurement of `h` times the state. Joseph's form keeps the covariance positive
    /// despite rounding.
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
