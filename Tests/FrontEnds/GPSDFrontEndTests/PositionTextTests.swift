import GPSDProtocol
import LocationModel
import NIOCore
import Testing

@testable import GPSDFrontEnd

/// Locations as gpsd's clients read them.
@Suite("Locations in gpsd's protocol", .timeLimit(.minutes(10))) struct PositionTextTests {
    /// A location with everything that a receiver tells.
    private var full: Location {
        get throws {
            let time = try #require(Timestamp("2026-08-05T05:52:53.400Z"))
            var location = Location(coordinate: Coordinate(latitude: 48.123456789, longitude: -11.5), timestamp: time)
            location.altitude = 523.5
            location.ellipsoidalAltitude = 570.1234
            location.horizontalAccuracy = 3.2068
            location.verticalAccuracy = 4
            location.course = 359.9999
            location.courseAccuracy = 1.5
            location.speed = 10
            location.speedAccuracy = 0.25
            location.sourceInformation = .init(kind: .receiver, device: "/dev/ttyACM0")
            return location
        }
    }

    @Test("a TPV has gpsd's members with its errors at 95 %, and none that reveals the receiver's name")
    func tpv() throws {
        #expect(
            PositionText.tpv(try full) == #"{"class":"TPV","device":"/dev/locationd","status":1,"mode":3,"#
                + #""time":"2026-08-05T05:52:53.400Z","lat":48.123456789,"lon":-11.500000000,"altHAE":570.1234,"#
                + #""altMSL":523.5000,"alt":523.5000,"epx":4.160,"epy":4.160,"eph":5.200,"epv":7.840,"#
                + #""track":359.9999,"speed":10.000,"epd":2.9400,"eps":0.49}"#)
    }

    @Test("unknown values are absent, and a fix without an altitude has two dimensions")
    func bare() throws {
        let time = try #require(Timestamp("2026-08-05T05:52:53Z"))
        let bare = Location(coordinate: Coordinate(latitude: -0.5, longitude: 0), timestamp: time)
        #expect(
            PositionText.tpv(bare) == #"{"class":"TPV","device":"/dev/locationd","status":1,"mode":2,"#
                + #""time":"2026-08-05T05:52:53.000Z","lat":-0.500000000,"lon":0.000000000}"#)
    }

    @Test("a reduced location has a place, a radius and a time, and nothing else, whatever it holds")
    func reduced() throws {
        var location = try full
        location.horizontalAccuracy = 3000
        #expect(
            PositionText.tpv(reduced: location) == #"{"class":"TPV","device":"/dev/locationd","status":1,"mode":2,"#
                + #""time":"2026-08-05T05:52:53.400Z","lat":48.123456789,"lon":-11.500000000,"#
                + #""epx":3891.510,"epy":3891.510,"eph":4864.387}"#)
        let sentences = NMEAText.sentences(reduced: location).split(separator: "\r\n")
        #expect(
            sentences == [
                "$GPZDA,055253.40,05,08,2026,00,00*6D",
                "$GPGGA,055253.40,4807.4074,N,01130.0000,W,1,,99.99,,M,,M,,*41",
                "$GPRMC,055253.40,A,4807.4074,N,01130.0000,W,,,050826,,,A*4A",
                "$GPGSA,A,2,,,,,,,,,,,,,,99.99,*33",
            ])
    }

    @Test(
        "the kind of fix is gpsd's status and NMEA's quality for an exact location, and never for a reduced one",
        arguments: [
            (nil, 1, 1, "A"), (.standard, 1, 1, "A"), (.differential, 2, 2, "D"), (.precise, 9, 3, "P"),
            (.rtkFixed, 3, 4, "R"), (.rtkFloat, 4, 5, "F"), (.deadReckoning, 5, 6, "E"), (.combined, 6, 1, "A"),
            (.surveyed, 7, 7, "M"), (.unknown("ppp"), 1, 1, "A"),
        ] as [(Location.FixType?, Int, Int, String)])
    func fixTypes(type: Location.FixType?, status: Int, quality: Int, mode: String) throws {
        var location = try full
        func text() -> (tpv: String, nmea: String) {
            (PositionText.tpv(location), NMEAText.sentences(location))
        }
        location.fixType = type
        #expect(text().tpv.contains(#""status":\#(status),"mode":3"#))
        #expect(text().nmea.contains(",W,\(quality),,") && text().nmea.contains(",050826,,,\(mode)*"))
        #expect(PositionText.tpv(reduced: location).contains(#""status":1,"mode":2"#))
        let reduced = NMEAText.sentences(reduced: location)
        #expect(reduced.contains(",4807.4074,N,01130.0000,W,1,,") && !reduced.contains("GST"))
        #expect(reduced.contains(",,,A*"))
        location.sourceInformation?.isSimulated = true
        #expect(text().tpv.contains(#""status":8,"mode":3"#) && text().nmea.contains(",W,8,,"))
    }

    @Test("numbers have exactly the given decimals")
    func numbers() {
        #expect((0.0005).fixed(3) == "0.001" || (0.0005).fixed(3) == "0.000")
        #expect((-0.0001).fixed(3) == "0.000")
        #expect((-1.25).fixed(2) == "-1.25")
        #expect((12.0).fixed(0) == "12")
        #expect((0.5).fixed(9) == "0.500000000")
        #expect(Double.nan.fixed(3) == nil)
        #expect(Double.infinity.fixed(3) == nil)
        #expect((1e300).fixed(3) == nil)
    }

    @Test("sentences of NMEA have their checksums, and minutes never reach 60")
    func nmea() throws {
        var location = try full
        location.coordinate = Coordinate(latitude: -9.99999999, longitude: 179.99999999)
        let sentences = NMEAText.sentences(location).split(separator: "\r\n")
        #expect(
            sentences == [
                "$GPZDA,055253.40,05,08,2026,00,00*6D",
                "$GPGGA,055253.40,0959.9999994,S,17959.9999994,E,1,,0.27,523.50,M,46.623,M,,*76",
                "$GPRMC,055253.40,A,0959.9999994,S,17959.9999994,E,19.4384,360.000,050826,,,A*4A",
                "$GPGSA,A,3,,,,,,,,,,,,,,0.27,*07",
                "$GPGST,055253.40,,2.124,2.124,,2.124,2.124,4.000*53",
            ])
        for sentence in sentences {
            let parts = sentence.dropFirst().split(separator: "*")
            #expect(UInt8(parts[1], radix: 16) == parts[0].utf8.reduce(0) { $0 ^ $1 }, "\(sentence)")
        }
    }

    @Test("without a fix the sentences contain neither a time nor a place")
    func nmeaWithoutFix() {
        #expect(NMEAText.noFix == "$GPRMC,,V,,,,,,,,,,N*53\r\n$GPGSA,A,1,,,,,,,,,,,,,,,*1E\r\n")
    }

    @Test("every report has the same length, with or without a position, and its filler is a sentence of its own")
    func lengths() throws {
        var extreme = try full
        extreme.coordinate = Coordinate(latitude: -89.123456789, longitude: -179.123456789)
        extreme.altitude = -10_000.1234
        extreme.ellipsoidalAltitude = 100_000.1234
        (extreme.horizontalAccuracy, extreme.verticalAccuracy) = (99_999.9999, 99_999.9999)
        (extreme.speed, extreme.speedAccuracy, extreme.courseAccuracy) = (9999.9999, 9999.9999, 180.1234)
        let time = try #require(Timestamp("2026-08-05T05:52:53Z"))
        let bare = Location(coordinate: Coordinate(latitude: 0, longitude: 0), timestamp: time)
        let full = try full
        let positions = [
            EncodedPosition.noFix(),
            EncodedPosition(tpv: PositionText.tpv(full)) { NMEAText.sentences(full) },
            EncodedPosition(tpv: PositionText.tpv(reduced: full)) { NMEAText.sentences(reduced: full) },
            EncodedPosition(tpv: PositionText.tpv(bare)) { NMEAText.sentences(bare) },
            EncodedPosition(tpv: PositionText.tpv(extreme)) { NMEAText.sentences(extreme) },
        ]
        #expect(Set(positions.map(\.json.readableBytes)).count == 1)
        #expect(Set(positions.map { $0.poll(time: "2026-08-05T05:52:53.000Z").utf8.count }).count == 1)
        #expect(positions.allSatisfy { String(buffer: $0.json).hasSuffix("}\r\n") })
        #expect(Set(positions.map(\.nmea.readableBytes)).count == 1)
        for position in positions {
            for sentence in String(buffer: position.nmea).split(separator: "\r\n") {
                let parts = sentence.dropFirst().split(separator: "*")
                #expect(sentence.utf8.count <= 80 || !sentence.hasPrefix("$PLCTD"), "\(sentence)")
                #expect(UInt8(parts[1], radix: 16) == parts[0].utf8.reduce(0) { $0 ^ $1 }, "\(sentence)")
            }
        }
    }
}
