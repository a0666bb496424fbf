import Glibc

/// Factors between gpsd's errors at 95 % confidence (`GPSD_CONFIDENCE` in gpsd.h) and this service's at one sigma.
package enum GPSDConfidence {
    /// The ratio of the 68 % radius to the 95 % radius, about 0.6167.
    ///
    /// With equal normal errors to the north and to the east, the distance from the truth is Rayleigh-distributed; the
    /// radius that holds the share p is σ·√(−2 ln(1 − p)).
    package static let radius95To68 = (log(1 - 0.68) / log(1 - 0.95)).squareRoot()
    /// The number of standard deviations to both sides of the mean that hold 95 % of a normal distribution.
    package static let sigmas95 = 1.96
    /// The radius that holds 68 %, in standard deviations of one direction, about 1.51.
    package static let radius68OfSigma = (-2 * log(1 - 0.68)).squareRoot()
}
