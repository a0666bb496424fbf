import CGPS
import GPSDProtocol
import LocationModel
import NIOCore

@testable import GPSDFrontEnd
@testable import LocationSources

/// What a program of gpsd's reads of a location: the TPV through `gps_unpack` of libgps, as every such program does, and the
/// sentences through the reader of NMEA. The input is the location: a byte of what is known, then eight bytes for each number.
///
/// libgps 3.22 never returns from some lines; the fuzzer's time limit finds those.
enum PositionTextFuzz {
    static func run(_ input: [UInt8]) throws {
        guard let location = location(input) else { return }
        try checkReport(PositionText.tpv(location), of: location)
        try checkSentences(NMEAText.sentences(location), of: location)
        var reduced = Location(coordinate: location.coordinate, timestamp: location.timestamp)
        reduced.horizontalAccuracy = location.horizontalAccuracy
        try checkReport(PositionText.tpv(reduced: location), of: reduced)
        try checkSentences(NMEAText.sentences(reduced: location), of: reduced)
    }

    /// A location that keeps the promises of its type, whatever the bytes are.
    private static func location(_ input: [UInt8]) -> Location? {
        var rest = input[...]
        func bits() -> UInt64 { (0..<8).reduce(0) { bits, _ in bits << 8 | UInt64(rest.popFirst() ?? 0) } }
        let known = UInt8(truncatingIfNeeded: rest.popFirst() ?? 0)
        // Whole numbers reach every place; the bits of a number would seldom be one.
        let latitude = Double(Int64(bitPattern: bits())) / 0x1p63 * 90
        let longitude = Double(Int64(bitPattern: bits())) / 0x1p63 * 180
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        // From 1970 to 2099: the sentences have two digits of the year.
        let time = Timestamp(nanosecondsSince1970: Int64(bits() % 4_102_444_800_000_000_000))
        var location = Location(coordinate: coordinate, timestamp: time)
        func number(_ bit: UInt8) -> Double? {
            let number = Double(bitPattern: bits())
            return known & 1 << bit != 0 && number.isFinite ? number : nil
        }
        location.altitude = number(0)
        location.ellipsoidalAltitude = number(1)
        location.horizontalAccuracy = number(2)?.magnitude
        location.verticalAccuracy = number(3)?.magnitude
        location.course = number(4).map { $0.magnitude.truncatingRemainder(dividingBy: 360) }
        location.courseAccuracy = number(5)?.magnitude
        location.speed = number(6)?.magnitude
        location.speedAccuracy = number(7)?.magnitude
        return location
    }

    // MARK: JSON

    private static func checkReport(_ report: String, of location: Location) throws {
        let poll = GPSDReply.poll(
            time: GPSDReply.time(location.timestamp), tpv: report, device: PositionText.device)
        for text in [report, poll] { try Finding.unless(text.utf8.count < 10_240 - 2, "a line is too long: \(text)") }
        // Before libgps reads it, our own reader of gpsd's protocol does, which is strict.
        guard
            case .report(.position(let position)) = try GPSDUnpacker().message(
                ByteBuffer(string: report), arrival: location.timestamp)
        else { throw Finding("not a position: \(report)") }
        guard let read = position.location else { throw Finding("a report without its location: \(report)") }
        try LocationCheck.check(read)
        try checkFix(unpack(report), of: location, report)
        // libgps has no reader for the answer to POLL, and passes over it: gpsd's own Python module reads it.
        try Finding.unless(unpack(poll).mode == MODE_NOT_SEEN, "libgps reads a part of \(poll)")
    }

    /// What libgps makes of a line as it is, as in `gps_read` of a program.
    private static func unpack(_ line: String) -> gps_fix_t {
        let data = UnsafeMutablePointer<gps_data_t>.allocate(capacity: 1)
        defer { data.deallocate() }
        data.initialize(to: gps_data_t())
        gps_clear_fix(&data.pointee.fix)
        var line = Array(line.utf8CString)
        line.withUnsafeMutableBufferPointer { _ = gps_unpack($0.baseAddress, data) }
        return data.pointee.fix
    }

    private static func checkFix(_ fix: gps_fix_t, of location: Location, _ text: String) throws {
        let hasAltitude = location.altitude != nil || location.ellipsoidalAltitude != nil
        try Finding.unless(fix.mode == (hasAltitude ? MODE_3D : MODE_2D), "mode \(fix.mode) of \(text)")
        let nanoseconds = Int64(fix.time.tv_sec) * 1_000_000_000 + Int64(fix.time.tv_nsec)
        try Finding.unless(
            (0..<1_000_000).contains(location.timestamp.nanosecondsSince1970 - nanoseconds), "another time: \(text)")
        func check(_ name: String, _ read: Double, _ expected: Double?, decimals: Int) throws {
            guard let expected, expected.fixed(decimals) != nil else {
                return try Finding.unless(!read.isFinite, "\(name) of nowhere: \(text)")
            }
            let step = (0..<decimals).reduce(1.0) { step, _ in step / 10 }
            try Finding.unless(
                abs(read - expected) <= step * 0.51 + expected.magnitude * 1e-12, "\(name) is \(read): \(text)")
        }
        let radius = location.horizontalAccuracy.map { $0 / GPSDConfidence.radius95To68 }
        func sigmas95(_ sigma: Double?) -> Double? { sigma.map { $0 * GPSDConfidence.sigmas95 } }
        try check("latitude", fix.latitude, location.coordinate.latitude, decimals: 9)
        try check("longitude", fix.longitude, location.coordinate.longitude, decimals: 9)
        try check("altMSL", fix.altMSL, location.altitude, decimals: 4)
        try check("altHAE", fix.altHAE, location.ellipsoidalAltitude, decimals: 4)
        try check("eph", fix.eph, radius, decimals: 3)
        try check("epv", fix.epv, sigmas95(location.verticalAccuracy), decimals: 3)
        try check("track", fix.track, location.course, decimals: 4)
        try check("speed", fix.speed, location.speed, decimals: 3)
        try check("epd", fix.epd, sigmas95(location.courseAccuracy), decimals: 4)
        try check("eps", fix.eps, sigmas95(location.speedAccuracy), decimals: 2)
    }

    // MARK: NMEA

    private static func checkSentences(_ text: String, of location: Location) throws {
        for sentence in text.split(separator: "\r\n") {
            let shown = sentence.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && sentence.hasPrefix("$GP")
            try Finding.unless(shown, "not a sentence: \(sentence)")
        }
        let epoch = NMEAEpoch(text)
        try Finding.unless(epoch?.isComplete == true, "an incomplete epoch: \(text)")
        let place = epoch?.position(of: PositionText.device).location?.coordinate
        guard let place else { throw Finding("no position in \(text)") }
        // A ten-thousandth of a minute.
        let isNear =
            abs(place.latitude - location.coordinate.latitude) < 1e-6
            && abs(place.longitude - location.coordinate.longitude) < 1e-6
        try Finding.unless(isNear, "another place: \(text)")
    }
}
