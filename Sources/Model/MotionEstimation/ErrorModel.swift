import Glibc

/// A model of how a receiver's position error changes from fix to fix.
///
/// A receiver's errors (ionosphere, orbits, reflections, its own smoothing) last from seconds to many minutes. A filter
/// that treats them as independent would after ten fixes claim three times the accuracy, which is false. So the error
/// is part of the state (A. Gelb, "Applied Optimal Estimation", 1974, section 4.5: augmenting the state with a shaping
/// filter): a first-order Gauss–Markov process with `correlationTime` and the receiver's stated sigma, plus a small
/// share of white noise. This matches recordings of standing receivers (J. Rios et al.: "Comparison of Enhanced Noise
/// Model Performance Based on Analysis of Civilian GPS Data", Sensors 20 (2020) 6050: an Ornstein–Uhlenbeck process
/// fits, white noise does not).
///
/// The duration of the error differs by receiver and place; `all` models run in parallel, see `MotionEstimator`.
struct ErrorModel: Sendable {
    /// The time in which the error decays to 1/e, in seconds; `nil` for a constant error.
    ///
    /// A constant error cannot be separated from the position, so it is not estimated: the track is the receiver's own, and
    /// the stated error is added to its uncertainty (the "consider" state of S. F. Schmidt, 1966).
    let correlationTime: Double?
    /// The share of the stated sigma that is independent at each fix.
    let whiteShare: Double
    /// The prior probability of this model. A receiver is followed until its errors are seen to vary.
    let probability: Double

    static let all = [
        ErrorModel(correlationTime: 10, whiteShare: 0.16, probability: 0.01),
        ErrorModel(correlationTime: 30, whiteShare: 0.16, probability: 0.01),
        ErrorModel(correlationTime: 100, whiteShare: 0.16, probability: 0.01),
        ErrorModel(correlationTime: 300, whiteShare: 0.16, probability: 0.01),
        ErrorModel(correlationTime: nil, whiteShare: 0.002, probability: 0.96),
    ]

    /// The share of an error that remains after `interval` seconds.
    func persistence(over interval: Double) -> Double {
        correlationTime.map { exp(-interval / $0) } ?? 1
    }

    /// The standard deviation to the north and to the east of a position whose `radius` holds 68 %.
    ///
    /// With equal normal errors to the north and to the east the distance from the truth is Rayleigh-distributed: the
    /// radius that holds the share p is σ·√(−2 ln(1 − p)) (A. Papoulis, "Probability, Random Variables and Stochastic
    /// Processes", section 6-3).
    static func sigma(radius68 radius: Double) -> Double { radius / sigmasInRadius68 }

    /// √(−2 ln 0.32), about 1.51.
    static let sigmasInRadius68 = (-2 * log(1 - 0.68)).squareRoot()
}
