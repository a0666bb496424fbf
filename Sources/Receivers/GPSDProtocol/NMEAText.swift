package import LocationModel

/// A location as sentences of NMEA 0183, as gpsd writes them for a receiver that speaks another protocol: ZDA, GGA, RMC and
/// GSA; and GST with the accuracy, which gpsd leaves out. The satellites in use are unknown, and fields of unknown values are
/// empty. A network of instruments gets more of them.
package enum NMEAText {
    /// The sentences of a receiver without a fix.
    package static let noFix = sentence("GPRMC,,V,,,,,,,,,,N") + satellites(mode: 1)

    /// The sentences of an exact location.
    package static func sentences(_ location: Location) -> String {
        let report = Report(location)
        return report.zda + report.gga + report.rmc + report.gsa + errors(of: location)
    }

    /// The sentences of an exact location as instruments in a network expect them: RMC, GGA, GLL, VTG, GSA, GST and ZDA, and HDT
    /// if the heading is known.
    ///
    /// - Parameter heading: the heading in degrees from true north; `nil` if it is unknown.
    package static func instruments(_ location: Location, heading: Double?) -> String {
        let report = Report(location)
        let direction = heading?.fixed(1).map { sentence("GPHDT,\($0),T") } ?? ""
        return report.rmc + report.gga + report.gll + report.vtg + report.gsa + errors(of: location) + report.zda
            + direction
    }

    /// The sentences of a reduced location: neither altitude nor movement.
    package static func sentences(reduced location: Location) -> String {
        let report = Report(reduced: location)
        return report.zda + report.gga + report.rmc + report.gsa
    }

    /// The sentences of a location, each by itself.
    private struct Report {
        private let location: Location
        private let time: Time
        private let place: String
        private let fix: (quality: Int, mode: Character)
        private let dimensions: Int
        private let dilution: String
        private let course: String
        private let knots: String

        /// An exact location.
        init(_ location: Location) {
            let isSimulated = location.sourceInformation?.isSimulated == true
            self.init(
                location, dimensions: location.altitude == nil && location.ellipsoidalAltitude == nil ? 2 : 3,
                fix: isSimulated ? (8, "S") : (location.fixType ?? .standard).nmea, decimals: 7)
        }

        /// A reduced location.
        init(reduced location: Location) {
            var place = Location(coordinate: location.coordinate, timestamp: location.timestamp)
            place.horizontalAccuracy = location.horizontalAccuracy
            // About 0.2 m, and of the least quality.
            self.init(place, dimensions: 2, fix: Location.FixType.standard.nmea, decimals: 4)
        }

        private init(
            _ location: Location, dimensions: Int, fix: (quality: Int, mode: Character), decimals: Int
        ) {
            (self.location, self.dimensions, self.fix) = (location, dimensions, fix)
            time = Time(location.timestamp)
            place = position(location.coordinate, decimals)
            dilution = NMEAText.dilution(of: location.horizontalAccuracy) ?? ""
            course = location.course?.fixed(3) ?? ""
            knots = location.speed.flatMap { ($0 * knotsInMetresPerSecond).fixed(4) } ?? ""
        }

        var zda: String { sentence("GPZDA,\(time.clock),\(time.day),\(time.month),\(time.year),00,00") }

        var gga: String {
            let altitude = location.altitude?.fixed(2) ?? ""
            let separation = zip(location.ellipsoidalAltitude, location.altitude).flatMap { ($0 - $1).fixed(3) } ?? ""
            return sentence(
                "GPGGA,\(time.clock),\(place),\(fix.quality),,\(dilution),\(altitude),M,\(separation),M,,")
        }

        var rmc: String {
            sentence(
                "GPRMC,\(time.clock),A,\(place),\(knots),\(course),\(time.day)\(time.month)\(time.year.suffix(2)),,,"
                    + "\(fix.mode)")
        }

        var gll: String { sentence("GPGLL,\(place),\(time.clock),A,\(fix.mode)") }

        /// The course and the speed, in knots and in kilometres an hour.
        var vtg: String {
            let kilometres = location.speed.flatMap { ($0 * 3.6).fixed(4) } ?? ""
            return sentence("GPVTG,\(course),T,,M,\(knots),N,\(kilometres),K,\(fix.mode)")
        }

        var gsa: String { satellites(mode: dimensions, dilution) }
    }

    /// GST with standard deviations in metres, which are the same in each horizontal direction; none without an accuracy.
    private static func errors(of location: Location) -> String {
        guard let radius = location.horizontalAccuracy, let sigma = (radius / GPSDConfidence.radius68OfSigma).fixed(3)
        else { return "" }
        let vertical = location.verticalAccuracy?.fixed(3) ?? ""
        let time = Time(location.timestamp)
        return sentence("GPGST,\(time.clock),,\(sigma),\(sigma),,\(sigma),\(sigma),\(vertical)")
    }

    /// The horizontal dilution of a receiver with this accuracy in metres, by gpsd's 19 m for a dilution of 1 at 95 %. At most
    /// 99.99: there is no other word for a radius here, and so an approximate position is never taken for a good one.
    package static func dilution(of radius: Double?) -> String? {
        radius.flatMap { min($0 / (19 * GPSDConfidence.radius95To68), 99.99).fixed(2) }
    }

    /// The length of the sentences of each report in bytes: that of the longest, and of the shortest filler.
    private static let reportLength = 400
    /// A sentence of this service's own, which readers pass over. It has at most 82 bytes, of which these are always there.
    private static let fillerLengths = sentence("PLCTD,").utf8.count...82

    /// The sentences with as many of ``filler(_:)`` as give every report the same length.
    package static func filled(_ sentences: String) -> String {
        var (text, missing) = (sentences, reportLength - sentences.utf8.count)
        while missing >= fillerLengths.lowerBound {
            // The bytes that are missing then must be enough for another sentence.
            let isLast = missing <= fillerLengths.upperBound
            let length = isLast ? missing : min(fillerLengths.upperBound, missing - fillerLengths.lowerBound)
            text += filler(length)
            missing -= length
        }
        return text
    }

    /// A sentence of this length that says nothing.
    private static func filler(_ length: Int) -> String {
        sentence("PLCTD," + String(repeating: "0", count: length - fillerLengths.lowerBound))
    }

    private static let knotsInMetresPerSecond = 3600.0 / 1852

    /// GSA without satellites: 1 for no fix, 2 and 3 for its dimensions.
    private static func satellites(mode: Int, _ dilution: String = "") -> String {
        sentence("GPGSA,A,\(mode)" + String(repeating: ",", count: 14) + dilution + ",")
    }

    /// Latitude and longitude in degrees, and minutes with this many decimals.
    private static func position(_ coordinate: Coordinate, _ decimals: Int) -> String {
        angle(coordinate.latitude, width: 2, decimals) + (coordinate.latitude < 0 ? ",S," : ",N,")
            + angle(coordinate.longitude, width: 3, decimals) + (coordinate.longitude < 0 ? ",W" : ",E")
    }

    /// The size of an angle: degrees of `width` digits, and minutes.
    private static func angle(_ angle: Double, width: Int, _ decimals: Int) -> String {
        let minute = (0..<decimals).reduce(1) { factor, _ in factor * 10 }
        // Rounded as a whole, so that there are never 60 minutes.
        let parts = Int((angle.magnitude * 60 * Double(minute)).rounded())
        let (degrees, rest) = parts.quotientAndRemainder(dividingBy: 60 * minute)
        return padded(degrees, width) + padded(rest / minute, 2) + "." + padded(rest % minute, decimals)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// A sentence with its checksum, the exclusive or of the bytes between `$` and `*`.
    private static func sentence(_ content: String) -> String {
        let sum = content.utf8.reduce(0) { $0 ^ $1 }
        let digits = String(sum, radix: 16, uppercase: true)
        return "$\(content)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }

    /// The parts of a time.
    private struct Time {
        let year, month, day: Substring
        /// Hours, minutes and seconds with two decimals.
        let clock: String

        init(_ timestamp: Timestamp) {
            // As in 2026-11-21T08:30:00.000Z.
            let text = GPSDReply.time(timestamp)
            let parts = text.split { "-T:Z".contains($0) }
            guard parts.count == 6 else {
                (year, month, day, clock) = ("", "", "", "")
                return
            }
            (year, month, day) = (parts[0], parts[1], parts[2])
            clock = "\(parts[3])\(parts[4])\(parts[5].dropLast())"
        }
    }
}

/// Both values, if both are known.
private func zip(_ one: Double?, _ other: Double?) -> (Double, Double)? {
    guard let one, let other else { return nil }
    return (one, other)
}
