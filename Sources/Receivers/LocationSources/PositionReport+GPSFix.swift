import CGPS
import GPSDProtocol
import Glibc
import LocationModel

/// Conversion of libgps' values. libgps marks unknown values with NaN; here they become `nil`, like impossible ones.
extension PositionReport {
    /// The report in a TPV message, with `arrival` in place of an unknown time.
    ///
    /// It has a location only from mode 2 (2D) on and with both latitude and longitude: some receivers report a mode
    /// without a position.
    init(_ fix: gps_fix_t, device: String?, arrival: Timestamp) {
        let time = Timestamp(fix.time)
        let mode = FixMode(rawValue: Int(fix.mode)) ?? .unknown
        self.init(device: device, mode: mode, time: time, location: nil)
        guard mode >= .twoDimensional,
            let coordinate = Coordinate(latitude: fix.latitude, longitude: fix.longitude)
        else { return }
        var location = Location(coordinate: coordinate, timestamp: time ?? arrival)
        location.altitude = fix.altMSL.within(Possible.altitudes)
        location.ellipsoidalAltitude = fix.altHAE.within(Possible.altitudes)
        location.horizontalAccuracy = (fix.eph * GPSDConfidence.radius95To68).within(Possible.distances)
        location.verticalAccuracy = (fix.epv / GPSDConfidence.sigmas95).within(Possible.distances)
        location.course = fix.track.direction
        location.courseAccuracy = (fix.epd / GPSDConfidence.sigmas95).within(Possible.angles)
        location.speed = fix.speed.within(Possible.speeds)
        location.speedAccuracy = (fix.eps / GPSDConfidence.sigmas95).within(Possible.speeds)
        location.fixType = Location.FixType(gpsdStatus: Int(fix.status))
        location.sourceInformation = .init(receiver: device, isSimulated: fix.status == STATUS_SIM)
        self.location = location
    }
}

extension Location.SourceInformation {
    /// A receiver, by gpsd's name of it.
    init(receiver device: String?, isSimulated: Bool = false) {
        // The others are built in: serial ports of the board, and the kernel's own receivers (/dev/gnss0).
        let accessories = ["/dev/ttyUSB", "/dev/ttyACM", "/dev/serial/by-id/usb-", "/dev/rfcomm", "tcp://", "udp://"]
        self.init(
            kind: .receiver, isSimulated: isSimulated,
            isProducedByAccessory: device.map { accessories.contains(where: $0.hasPrefix) } ?? false, device: device)
    }
}

extension Heading {
    /// The report in an ATT message. gpsd's `heading` is in degrees from true north; `nil` without one, or with one
    /// outside 0 to 360 (one recorded compass seems to use another unit).
    init?(_ attitude: attitude_t, device: String?, arrival: Timestamp) {
        guard let heading = attitude.heading.direction else { return nil }
        self.init(
            trueHeading: heading,
            timestamp: Timestamp(attitude.mtime) ?? arrival,
            sourceInformation: .init(receiver: device))
    }
}

/// The ranges of what a receiver can measure, wide enough for submarines and satellites. Anything else is an error of the
/// receiver, or a lie, and counts as unknown.
enum Possible {
    /// In metres: from below the deepest trench to above the orbits of all navigation satellites.
    static let altitudes = -12_000.0...50_000_000
    /// Errors in metres, up to half the circumference of the Earth.
    static let distances = 0...20_037_508.0
    /// Errors in degrees, up to half a circle: more says nothing.
    static let angles = 0...180.0
    /// In metres a second, up to more than the escape velocity.
    static let speeds = 0...12_000.0
}

extension Timestamp {
    /// Converts libgps' time; `nil` for its zero, which means unknown, and for times that the model cannot hold.
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
    /// The value; `nil` outside of `range`, and for NaN.
    func within(_ range: ClosedRange<Double>) -> Double? { range.contains(self) ? self : nil }
    /// The value as degrees of a full circle, 0 up to 360; gpsd's 360 becomes 0.
    var direction: Double? { (0...360).contains(self) ? (self == 360 ? 0 : self) : nil }
}
