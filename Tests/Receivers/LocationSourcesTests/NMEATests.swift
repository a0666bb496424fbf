import GPSDProtocol
import LocationModel
import Testing

@testable import LocationSources

/// Sentences as a receiver would send them.
enum NMEA {
    static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(0, ^)
        return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))"
    }

    /// An epoch of a fix at this time, such as `123519`.
    static func fix(at time: String, minutes: String = "31.2000", dilution: String = "0.9", more: [String] = [])
        -> String
    {
        let bodies =
            [
                "GPGGA,\(time),52\(minutes),N,01324.3000,E,1,08,\(dilution),34.0,M,44.0,M,,",
                "GPRMC,\(time),A,52\(minutes),N,01324.3000,E,2.5,84.4,211126,,,A",
                "GPGSA,A,3,02,05,07,09,13,20,29,30,,,,,1.6,0.9,1.3",
            ] + more
        return bodies.map(sentence).joined(separator: "\r\n")
    }

    static func withoutFix(at time: String) -> String {
        ["GPGGA,\(time),,,,,0,00,99.9,,,,,,", "GPRMC,\(time),V,,,,,,,211126,,,N"].map(sentence).joined(
            separator: "\r\n")
    }
}

@Suite(.timeLimit(.minutes(10))) struct NMEATests {
    private static let device = "modem:1-1"

    private func location(_ text: String) -> Location? { NMEAEpoch(text)?.position(of: Self.device).location }

    @Test(
        "a sentence with a valid checksum is read",
        arguments: [
            "$GPGLL,4916.45,N,12311.12,W,225444,A,*1D", "$GPGLL,4916.45,N,12311.12,W,225444,A,*1d",
            NMEA.sentence("GNRMC,,V,,,,,,,,,,N"),
        ])
    func sentences(line: String) throws {
        #expect(NMEASentence(Substring(line)) != nil)
    }

    @Test(
        "other text is not a sentence",
        arguments: [
            "", "$", "$*00", "GPGLL,4916.45,N,12311.12,W,225444,A,*1D", "$GPGLL,4916.45,N,12311.12,W,225444,A,*1E",
            "$GPGLL,4916.45,N,12311.12,W,225444,A,", "$GPGLL,4916.45,N,12311.12,W,225444,A,*1",
            "$GPGLL,4916.45,N,12311.12,W,225444,A,*1D1", "$GPGLL,4916.45,N,12311.12,W,225444,A,*+D",
            NMEA.sentence("GPRM,1"), NMEA.sentence("gprmc,1"), NMEA.sentence("GPRMCX,1"), NMEA.sentence("GPRMC,ä"),
            NMEA.sentence("GPRMC,\u{7}"), NMEA.sentence("GPRMC,$"), NMEA.sentence("GPRMC,1*2"),
            NMEA.sentence("GPRMC," + String(repeating: "1", count: 130)),
        ])
    func noSentences(line: String) {
        #expect(NMEASentence(Substring(line)) == nil)
    }

    @Test("a fix has time and date of RMC, position and altitude of GGA, and speed and course in our units")
    func fix() throws {
        let position = try #require(NMEAEpoch(NMEA.fix(at: "123519.25"))).position(of: Self.device)
        let location = try #require(position.location)
        #expect(position.mode == .threeDimensional)
        #expect(position.device == Self.device)
        #expect(position.time == Timestamp("2026-11-21T12:35:19.25Z"))
        #expect(location.timestamp == position.time)
        #expect(abs(location.coordinate.latitude - 52.52) < 1e-9)
        #expect(abs(location.coordinate.longitude - 13.405) < 1e-9)
        #expect(location.altitude == 34)
        #expect(location.ellipsoidalAltitude == 78)
        #expect(try #require(location.speed).rounded(toPlaces: 4) == 1.2861)
        #expect(location.course == 84.4)
        // 11.7 m for a dilution of 1.
        #expect(try #require(location.horizontalAccuracy).rounded(toPlaces: 2) == 10.55)
        #expect(try #require(location.verticalAccuracy).rounded(toPlaces: 2) == 15.26)
        #expect(location.sourceInformation?.device == Self.device)
        #expect(location.sourceInformation?.isSimulated == false)
        #expect(location.courseAccuracy == nil && location.speedAccuracy == nil)
    }

    @Test("the errors of GST of the same epoch replace the dilutions, and those of another one do not")
    func errors() throws {
        let own = try #require(location(NMEA.fix(at: "123519", more: ["GPGST,123519,,,,,2.0,2.0,3.5"])))
        // 1.51 standard deviations hold 68 %.
        #expect(try #require(own.horizontalAccuracy).rounded(toPlaces: 3) == 3.019)
        #expect(own.verticalAccuracy == 3.5)
        let other = try #require(location(NMEA.fix(at: "123519", more: ["GPGST,123518,,,,,2.0,2.0,3.5"])))
        #expect(try #require(other.horizontalAccuracy).rounded(toPlaces: 2) == 10.55)
    }

    @Test(
        "south, west and any talker are read",
        arguments: [("S", "W", -52.52, -13.405), ("N", "W", 52.52, -13.405), ("S", "E", -52.52, 13.405)])
    func hemispheres(north: String, east: String, latitude: Double, longitude: Double) throws {
        let text = [
            "GNRMC,010203.00,A,5231.2,\(north),01324.3,\(east),,,010199,,,D",
            "GNGGA,010203.0,5231.2,\(north),01324.3,\(east),2,12,1.0,,,,,,",
        ].map(NMEA.sentence).joined(separator: "\n")
        let position = try #require(NMEAEpoch(text)).position(of: Self.device)
        let location = try #require(position.location)
        #expect(abs(location.coordinate.latitude - latitude) < 1e-9)
        #expect(abs(location.coordinate.longitude - longitude) < 1e-9)
        #expect(position.time == Timestamp("1999-01-01T01:02:03Z"))
        // What is not sent is unknown.
        #expect(position.mode == .twoDimensional)
        #expect(location.altitude == nil && location.speed == nil && location.course == nil)
        #expect(location.verticalAccuracy == nil)
    }

    @Test("without a fix there is the time alone, or nothing")
    func noFix() throws {
        let epoch = try #require(NMEAEpoch(NMEA.withoutFix(at: "123519")))
        let position = epoch.position(of: Self.device)
        #expect(position == PositionReport(device: Self.device, mode: .noFix, time: Timestamp("2026-11-21T12:35:19Z")))
        let cold = try #require(NMEAEpoch(NMEA.sentence("GPRMC,,V,,,,,,,,,,N")))
        #expect(cold.isComplete && cold.time == nil)
        #expect(cold.position(of: Self.device) == PositionReport(device: Self.device, mode: .noFix))
        #expect(NMEAEpoch("") == nil)
        #expect(NMEAEpoch(NMEA.sentence("GPGGA,123519,5231.2,N,01324.3,E,1,08,0.9,34.0,M,44.0,M,,")) == nil)
    }

    @Test("sentences of different epochs do not form a position")
    func mixedEpochs() throws {
        let text = [
            "GPGGA,123520,5231.2,N,01324.3,E,1,08,0.9,34.0,M,44.0,M,,",
            "GPRMC,123519,A,5231.2,N,01324.3,E,2.5,84.4,211126,,,A",
        ].map(NMEA.sentence).joined(separator: "\r\n")
        let epoch = try #require(NMEAEpoch(text))
        #expect(!epoch.isComplete)
        #expect(epoch.position(of: Self.device).location == nil)
    }

    @Test("a sentence from before a receiver changed its talker does not count")
    func oldTalker() throws {
        let text = NMEA.sentence("GNRMC,123500,A,0000.0,N,00000.0,E,,,211126,,,A") + "\r\n" + NMEA.fix(at: "123519")
        #expect(try #require(NMEAEpoch(text)).time == Timestamp("2026-11-21T12:35:19Z"))
        let reversed = NMEA.fix(at: "123519") + "\r\n" + NMEA.sentence("GNRMC,123500,A,0000.0,N,00000.0,E,,,211126,,,A")
        #expect(try #require(NMEAEpoch(reversed)).time == Timestamp("2026-11-21T12:35:19Z"))
    }

    @Test("simulated positions are marked, and entered ones are refused")
    func qualities() throws {
        func text(_ quality: Int, _ mode: String) -> String {
            [
                "GPGGA,123519,5231.2,N,01324.3,E,\(quality),08,0.9,34.0,M,44.0,M,,",
                "GPRMC,123519,A,5231.2,N,01324.3,E,2.5,84.4,211126,,,\(mode)",
            ].map(NMEA.sentence).joined(separator: "\r\n")
        }
        #expect(location(text(8, "S"))?.sourceInformation?.isSimulated == true)
        #expect(location(text(7, "M")) == nil)
        #expect(location(text(1, "N")) == nil)
        #expect(location(text(0, "A")) == nil)
        for (quality, mode, type) in [
            (1, "A", .standard), (2, "D", .differential), (3, "P", .precise), (4, "R", .rtkFixed), (5, "F", .rtkFloat),
            (6, "E", .deadReckoning), (8, "S", nil),
        ] as [(Int, String, Location.FixType?)] {
            let found = try #require(location(text(quality, mode)))
            #expect(found.fixType == type, "quality \(quality)")
        }
        // Dead reckoning has no dilution.
        let reckoned = try #require(location(text(6, "E")))
        #expect(reckoned.horizontalAccuracy == nil)
    }

    @Test(
        "the sentences that programs of gpsd are sent decode to the location, to a millimetre",
        arguments: Location.FixType.allCases)
    func ownSentences(type: Location.FixType) throws {
        var sent = Location(
            coordinate: Coordinate(latitude: 48.123456789, longitude: -11.567891234),
            timestamp: try #require(Timestamp("2026-11-21T12:35:19Z")))
        (sent.altitude, sent.ellipsoidalAltitude, sent.fixType) = (523.41, 569.64, type)
        (sent.horizontalAccuracy, sent.verticalAccuracy) = (0.014, 0.025)
        let read = location(NMEAText.sentences(sent))
        // What somebody has entered is no position.
        guard type != .surveyed else { return #expect(read == nil) }
        let found = try #require(read)
        #expect(found.coordinate.distance(to: sent.coordinate) < 0.001)
        #expect(found.altitude == sent.altitude && found.timestamp == sent.timestamp)
        #expect(found.fixType == (type == .combined ? .standard : type))
        #expect(abs(try #require(found.horizontalAccuracy) - 0.014) < 0.001)
        #expect(abs(try #require(found.verticalAccuracy) - 0.025) < 0.001)
    }

    @Test("an altitude without the separation of the geoid is not an ellipsoidal one")
    func withoutSeparation() throws {
        for separation in [",", ",M", "44.0,"] {
            let gga = "GPGGA,123519,5231.2,N,01324.3,E,1,08,0.9,34,M,\(separation),,"
            let rmc = "GPRMC,123519,A,5231.2,N,01324.3,E,1,2,211126,,,A"
            let location = try #require(self.location([gga, rmc].map(NMEA.sentence).joined(separator: "\r\n")))
            #expect(location.altitude == 34 && location.ellipsoidalAltitude == nil)
        }
    }

    @Test(
        "impossible values are unknown",
        arguments: [
            "GPRMC,123519,A,5231.2,N,01324.3,E,99999,361,211126,,,A",
            "GPRMC,123519,A,5231.2,N,01324.3,E,-1,-5,211126,,,A",
            "GPRMC,123519,A,5231.2,N,01324.3,E,1e1,nan,211126,,,A",
            "GPRMC,123519,A,5231.2,N,01324.3,E,inf,0x1,211126,,,A",
        ])
    func impossibleMotion(rmc: String) throws {
        let gga = "GPGGA,123519,5231.2,N,01324.3,E,1,08,99.9,9999999999999,M,44.0,M,,"
        let location = try #require(self.location([gga, rmc].map(NMEA.sentence).joined(separator: "\r\n")))
        #expect(location.speed == nil && location.course == nil)
        #expect(location.altitude == nil && location.ellipsoidalAltitude == nil)
        #expect(location.horizontalAccuracy == nil)
    }

    private static let impossible = [
        ("123519", "9100.0,N,01324.3,E", "211126"), ("123519", "5260.0,N,01324.3,E", "211126"),
        ("123519", "5231.2,N,18124.3,E", "211126"), ("123519", "5231.2,X,01324.3,E", "211126"),
        ("123519", "231.2,N,01324.3,E", "211126"), ("123519", "5231.2,N,1324.3,E", "211126"),
        ("123519", ",,,", "211126"), ("123519", "5231.2,N,01324.3,E", "320126"),
        ("123519", "5231.2,N,01324.3,E", "2111"), ("123519", "5231.2,N,01324.3,E", ""),
        ("246060", "5231.2,N,01324.3,E", "211126"), ("1235", "5231.2,N,01324.3,E", "211126"),
        ("12+519", "5231.2,N,01324.3,E", "211126"),
    ]

    @Test("impossible positions and times are no fix", arguments: impossible)
    func impossiblePositions(time: String, position: String, date: String) {
        let text = ["GPGGA,\(time),\(position),1,08,0.9,34.0,M,44.0,M,,", "GPRMC,\(time),A,\(position),,,\(date),,,A"]
        #expect(location(text.map(NMEA.sentence).joined(separator: "\r\n")) == nil)
    }

    @Test("satellites used come from GGA, those in view from GSV of all systems")
    func satellites() throws {
        let text = NMEA.fix(at: "123519", more: ["GPGSV,1,1,09,02,10,20,30", "GLGSV,1,1,03,65,10,20,30"])
        let sky = try #require(NMEAEpoch(text)).sky(of: Self.device)
        #expect(sky.satellitesUsed == 8)
        #expect(sky.satellitesSeen == 12)
        #expect(sky.horizontalDilution == 0.9)
        #expect(sky.positionDilution == 1.6)
        #expect(try #require(NMEAEpoch(NMEA.fix(at: "123519"))).sky(of: Self.device).satellitesSeen == 8)
    }

    @Test("a set of more than 16 KiB is refused")
    func largeSets() {
        #expect(NMEAEpoch(NMEA.fix(at: "123519") + String(repeating: "\r\n", count: 10_000)) == nil)
    }
}

extension Double {
    fileprivate func rounded(toPlaces places: Int) -> Double {
        let factor = (0..<places).reduce(1.0) { product, _ in product * 10 }
        return (self * factor).rounded() / factor
    }
}
