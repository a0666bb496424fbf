import Glibc

/// One assumption about how a receiver's position error, of the size that it states, changes from fix to fix.
///
/// A receiver's errors (ionosphere, orbits, reflections, its own smoothing) last for seconds to many minutes. A filter that
/// takes them for new ones at every fix believes after ten fixes that it knows the place three times better, which is
/// false. So the error is a part of the state here (A. Gelb, "Applied Optimal Estimation", 1974, section 4.5: augmenting the
/// state with a shaping filter): a first-order Gauss–Markov process with `correlationTime` and the receiver's stated sigma,
/// and a small share of white noise on top. That is what recordings of standing receivers show (J. Rios et al.: "Comparison
/// of Enhanced Noise Model Performance Based on Analysis of Civilian GPS Data", Sensors 20 (2020) 6050: an
/// Ornstein–Uhlenbeck process fits, white noise does not).
///
/// How long the error lasts differs by receiver and place; `all` are tried beside each other, see `MotionEstimator`.
struct ErrorModel: Sendable {
    /// How long it takes until 1/e of the error is left, in seconds; `nil`: it stays.
    ///
    /// An error that stays cannot be told from the position, so it is not estimated: the track is the receiver's own, and
    /// the stated error is added to its uncertainty (the "consider" state of S. F. Schmidt, 1966).
    let correlationTime: Double?
    /// The share of the stated sigma that is new at each fix.
    let whiteShare: Double
    /// How probable it is before the first fix. A receiver is followed until its errors are seen to come and go.
    let probability: Double

    static let all = [
        ErrorModel(correlationTime: 10, whiteShare: 0.16, probability: 0.01),
        ErrorModel(correlationTime: 30, whiteShare: 0.16, probability: 0.01),
        ErrorModel(correlationTime: 100, whiteShare: 0.16, probability: 0.01),
        ErrorModel(correlationTime: 300, whiteShare: 0.16, probability: 0.01),
        ErrorModel(correlationTime: nil, whiteShare: 0.002, probability: 0.96),
    ]

    /// What is left after `interval` seconds of an error, as a factor.
    func persistence(over interval: Double) -> Double {
        correlationTime.map { exp(-interval / $0) } ?? 1
    }

    /// The standard deviation to the north and to the east of a position of which `radius` holds 68 %.
    ///
    /// With equal normal errors to the north and to the east the distance from the truth is Rayleigh-distributed: the
    /// radius that holds the share p is σ·√(−2 ln(1 − p)) (A. Papoulis, "Probability, Random Variables and Stochastic
    /// Processes", section 6-3).
    static func sigma(radius68 radius: Double) -> Double { radius / sigmasInRadius68 }

    /// √(−2 ln 0.32), about 1.51.
    static let sigmasInRadius68 = (-2 * log(1 - 0.68)).squareRoot()
}
