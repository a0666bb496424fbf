import GPSDProtocol
import Glibc
import LocationModel

/// The last epoch in a set of NMEA sentences, as ModemManager collects them: the last one of each type, which need not belong
/// to the same epoch.
///
/// Time and date are those of RMC. The position counts only if GGA has the same time. GSA has no time and may be an epoch old;
/// only the kind of fix and the dilutions are taken of it, which change slowly. What is missing or impossible is unknown.
struct NMEAEpoch: Equatable {
    /// The greatest length of a set, in bytes.
    static let maximumLength = 16_384

    /// The time of RMC with its date; `nil` if the receiver does not know it yet.
    let time: Timestamp?
    /// True if RMC and GGA belong to the same epoch, or RMC says that there is no fix.
    let isComplete: Bool
    private let fix: Fix?
    private let satellitesUsed: Int?
    private let satellitesSeen: Int?
    private let horizontalDilution: Double?
    private let positionDilution: Double?

    /// A position with what belongs to it.
    private struct Fix: Equatable {
        var location: Location
        var mode: FixMode
    }

    /// The epoch in sentences that are separated by line ends; `nil` without a valid RMC among them. Other lines are passed
    /// over.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let sentences = text.split(whereSeparator: \.isNewline).compactMap(NMEASentence.init)
        // A receiver that has changed its talker leaves an old sentence behind.
        let recommended = sentences.filter { $0.type == "RMC" && ["A", "V"].contains($0[2]) }
        guard let rmc = recommended.max(by: { Self.isEarlier($0, $1) }) else { return nil }
        let ofEpoch = { (type: Substring) in
            sentences.last { $0.type == type && $0.time(1) != nil && $0.time(1) == rmc.time(1) }
        }
        let gga = ofEpoch("GGA")
        let gsa = sentences.last { $0.type == "GSA" }
        time = Self.time(of: rmc)
        fix = gga.flatMap { Self.fix(rmc, $0, gsa: gsa, gst: ofEpoch("GST")) }
        isComplete = rmc[2] == "V" || gga != nil
        satellitesUsed = gga?.count(7)
        satellitesSeen = Self.satellitesSeen(sentences)
        horizontalDilution = gga?.dilution(8)
        positionDilution = gsa?.dilution(15)
    }

    /// The report of the receiver; one without a fix if the sentences have none.
    func position(of device: String) -> PositionReport {
        var location = fix?.location
        location?.sourceInformation?.device = device
        return PositionReport(device: device, mode: fix?.mode ?? .noFix, time: time, location: location)
    }

    /// The report of the satellites.
    func sky(of device: String) -> SkyReport {
        SkyReport(
            device: device, satellitesUsed: satellitesUsed, satellitesSeen: satellitesSeen ?? satellitesUsed,
            horizontalDilution: horizontalDilution, positionDilution: positionDilution)
    }

    private static func isEarlier(_ one: NMEASentence, _ other: NMEASentence) -> Bool {
        switch (time(of: one), time(of: other)) {
        case (let one?, let other?): one < other
        case (let one, let other): one == nil && other != nil
        }
    }

    /// Its time and date, `ddmmyy`. Receivers of before 1980 did not exist.
    private static func time(of rmc: NMEASentence) -> Timestamp? {
        guard let time = rmc.time(1), let date = rmc[9], date.utf8.count == 6, let year = Int(date.suffix(2)) else {
            return nil
        }
        let month = date.dropFirst(2).prefix(2)
        return Timestamp("\(year < 80 ? 20 : 19)\(date.suffix(2))-\(month)-\(date.prefix(2))T\(time.text)Z")
    }

    private static func fix(
        _ rmc: NMEASentence, _ gga: NMEASentence, gsa: NMEASentence?, gst: NMEASentence?
    ) -> Fix? {
        // Of the qualities 6 is dead reckoning and 8 a simulator; 7 is a position that somebody has entered.
        guard rmc[2] == "A", rmc[12] != "N", let time = time(of: rmc), let quality = gga.count(6),
            (1...6).contains(quality) || quality == 8,
            let latitude = gga.angle(2, width: 2, positive: "N", negative: "S"),
            let longitude = gga.angle(4, width: 3, positive: "E", negative: "W"),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        var location = Location(coordinate: coordinate, timestamp: time)
        if gga[10] == "M" { location.altitude = gga.number(9)?.within(Possible.altitudes) }
        if gga[12] == "M", let altitude = location.altitude, let separation = gga.number(11) {
            location.ellipsoidalAltitude = (altitude + separation).within(Possible.altitudes)
        }
        // The dilutions say nothing of dead reckoning.
        let dilutions = quality == 6 ? nil : (horizontal: gga.dilution(8), vertical: gsa?.dilution(17))
        location.horizontalAccuracy =
            gst?.horizontalAccuracy ?? dilutions?.horizontal.map { $0 * GPSDConfidence.metresOfDilution }
        location.verticalAccuracy =
            gst?.number(8)?.within(Possible.distances).flatMap { $0 > 0 ? $0 : nil }
            ?? dilutions?.vertical.map { $0 * GPSDConfidence.metresOfVerticalDilution }
        location.speed = rmc.number(7).flatMap { ($0 * metresPerSecondOfKnot).within(Possible.speeds) }
        location.course = rmc.number(8)?.direction
        location.fixType = Location.FixType(nmeaQuality: quality)
        location.sourceInformation = .init(kind: .modem, isSimulated: quality == 8 || rmc[12] == "S")
        let mode: FixMode =
            switch gsa?.count(2) {
            case 3: .threeDimensional
            case 2: .twoDimensional
            default: location.altitude == nil ? .twoDimensional : .threeDimensional
            }
        return Fix(location: location, mode: mode)
    }

    /// The sum over the systems, whose totals are in each of their sentences.
    private static func satellitesSeen(_ sentences: [NMEASentence]) -> Int? {
        var totals: [String: Int] = [:]
        for sentence in sentences where sentence.type == "GSV" {
            if let total = sentence.count(3), total <= SatelliteStatus.maximumCount {
                totals[String(sentence.talker)] = total
            }
        }
        return totals.isEmpty ? nil : min(totals.values.reduce(0, +), SatelliteStatus.maximumCount)
    }

    private static let metresPerSecondOfKnot = 1852.0 / 3600
}

extension NMEASentence {
    /// A dilution of precision; `nil` also for 99.9, with which receivers say that there is none.
    fileprivate func dilution(_ number: Int) -> Double? {
        self.number(number).flatMap { $0 > 0 && $0 < 50 ? $0 : nil }
    }

    /// The radius of GST, whose errors to the north and to the east are standard deviations; of errors that are equal in both
    /// directions it is exact.
    fileprivate var horizontalAccuracy: Double? {
        guard let north = number(6), let east = number(7), north >= 0, east >= 0, north + east > 0 else { return nil }
        return (hypot(north, east) / 2.0.squareRoot() * GPSDConfidence.radius68OfSigma).within(Possible.distances)
    }
}

extension GPSDConfidence {
    /// The 68 % radius in metres for a horizontal dilution of 1, about 11.7: gpsd reckons with 19 m for 95 %.
    fileprivate static let metresOfDilution = 19 * radius95To68
    /// One sigma in metres for a vertical dilution of 1, about 11.7: gpsd reckons with 23 m for 95 %.
    fileprivate static let metresOfVerticalDilution = 23 / sigmas95
}
