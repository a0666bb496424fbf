import CGPS
import Glibc
import LocationModel

/// How libgps' numbers become ours. libgps marks unknown with NaN; here unknown is absent, and so is what cannot be.
extension PositionReport {
    /// What a TPV message said, with `arrival` in place of a time that the receiver does not know.
    ///
    /// There is a location only from mode 2 (2D) on and with both latitude and longitude: receivers do report a mode
    /// without a position.
    init(_ fix: gps_fix_t, device: String?, arrival: Timestamp) {
        let time = Timestamp(fix.time)
        let mode = FixMode(rawValue: Int(fix.mode)) ?? .unknown
        self.init(device: device, mode: mode, time: time, location: nil)
        guard mode >= .twoDimensional,
            let coordinate = Coordinate(latitude: fix.latitude, longitude: fix.longitude)
        else { return }
        var location = Location(coordinate: coordinate, timestamp: time ?? arrival)
        location.altitude = fix.altMSL.finite
        location.ellipsoidalAltitude = fix.altHAE.finite
        location.horizontalAccuracy = fix.eph.nonnegative.map { $0 * Confidence.radius95To68 }
        location.verticalAccuracy = fix.epv.nonnegative.map { $0 / Confidence.sigmas95 }
        location.course = fix.track.direction
        location.courseAccuracy = fix.epd.nonnegative.map { $0 / Confidence.sigmas95 }
        location.speed = fix.speed.nonnegative
        location.speedAccuracy = fix.eps.nonnegative.map { $0 / Confidence.sigmas95 }
        location.sourceInformation = .init(isSimulated: fix.status == STATUS_SIM, device: device)
        self.location = location
    }
}

extension Heading {
    /// What an ATT message said. gpsd gives `heading` in degrees from true north; `nil` when it gives none or one
    /// outside 0 to 360 (there is a compass on record that seems to count in another unit).
    init?(_ attitude: attitude_t, device: String?, arrival: Timestamp) {
        guard let heading = attitude.heading.direction else { return nil }
        self.init(
            trueHeading: heading,
            timestamp: Timestamp(attitude.mtime) ?? arrival,
            sourceInformation: .init(isSimulated: false, device: device))
    }
}

/// gpsd states errors at 95 % confidence (`GPSD_CONFIDENCE` in its gpsd.h), the model at one sigma.
enum Confidence {
    /// From the radius that holds 95 % to the one that holds 68 %, about 0.6167.
    ///
    /// With equal normal errors to the north and to the east, the distance from the truth is Rayleigh-distributed; the
    /// radius that holds the share p is σ·√(−2 ln(1 − p)).
    static let radius95To68 = (log(1 - 0.68) / log(1 - 0.95)).squareRoot()
    /// How many standard deviations to both sides of the mean hold 95 % of a normal distribution.
    static let sigmas95 = 1.96
}

extension Timestamp {
    /// libgps' time; `nil` for its zero, which means unknown, and for what the model cannot hold.
    ///
    /// Rounded to the microsecond: libgps reads the decimals as a floating-point number.
    init?(_ time: timespec) {
        guard time.tv_sec > 0, (0..<1_000_000_000).contains(time.tv_nsec) else { return nil }
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = seconds.addingReportingOverflow((Int64(time.tv_nsec) + 500) / 1000 * 1000)
        guard !overflow, !overflowOfSum else { return nil }
        self.init(nanosecondsSince1970: sum)
    }
}

extension Double {
    /// `nil` for NaN and the infinities.
    fileprivate var finite: Double? { isFinite ? self : nil }
    /// `nil` for what is not a number, and for a length, a speed or an error below zero.
    fileprivate var nonnegative: Double? { isFinite && self >= 0 ? self : nil }
    /// Degrees of a full circle, 0 up to 360; gpsd's 360 is 0.
    fileprivate var direction: Double? { (0...360).contains(self) ? (self == 360 ? 0 : self) : nil }
}
