import GPSDProtocol
import LocationModel
import NIOCore
import SeededRandom
import Testing

@testable import LocationSources

private let arrival = Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000)

private func report(_ line: String) throws -> GPSDMessage {
    try GPSDUnpacker().message(ByteBuffer(string: line), arrival: arrival)
}

private func position(_ members: String) throws -> PositionReport {
    guard case .report(.position(let position)) = try report(#"{"class":"TPV","device":"/dev/x",\#(members)}"#) else {
        throw GPSDLineError.notProtocol
    }
    return position
}

private func location(_ members: String) throws -> Location? {
    try position(#""mode":3,"lat":48.5,"lon":-11.25,\#(members)"#).location
}

@Suite("Decoding gpsd's messages", .timeLimit(.minutes(10)))
struct GPSDMessageTests {
    @Test("every class is decoded")
    func classes() throws {
        #expect(
            try report(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#)
                == .version("3.22"))
        #expect(
            try report(
                #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"u-blox","#
                    + #""activated":"2026-11-21T08:30:00.000Z"},{"class":"DEVICE","path":"/dev/b"}]}"#)
                == .report(
                    .receivers([
                        .init(device: "/dev/a", driver: "u-blox", isActivated: true),
                        .init(device: "/dev/b", driver: nil, isActivated: false),
                    ])))
        #expect(
            try report(#"{"class":"DEVICE","path":"/dev/a","activated":0}"#)
                == .report(.receiver(.init(device: "/dev/a", driver: nil, isActivated: false))))
        #expect(
            try report(
                #"{"class":"SKY","device":"/dev/a","hdop":0.9,"satellites":["#
                    + #"{"PRN":3,"el":10.0,"az":20.0,"ss":30.0,"used":true},{"PRN":9,"used":false}]}"#)
                == .report(
                    .sky(
                        SkyReport(
                            device: "/dev/a", satellitesUsed: 1, satellitesSeen: 2,
                            satellites: [
                                .init(number: 3, isUsed: true, signal: 30),
                                .init(number: 9, isUsed: false, signal: nil),
                            ],
                            horizontalDilution: 0.9))))
        #expect(
            try report(#"{"class":"SKY","device":"/dev/a","hdop":0.9}"#)
                == .report(.sky(SkyReport(device: "/dev/a", horizontalDilution: 0.9))))
        #expect(try report(#"{"class":"ERROR","message":"Unrecognized request"}"#) == .error("Unrecognized request"))
        #expect(try report(#"{"class":"PPS","device":"/dev/a","real_sec":1}"#) == .other("PPS"))
    }

    @Test("every member of a fix is decoded and converted")
    func fix() throws {
        let position = try position(
            #""mode":3,"status":1,"time":"2026-11-21T08:30:00.290Z","lat":48.1,"lon":11.6,"altHAE":560.0,"#
                + #""altMSL":520.0,"eph":10.0,"epv":19.6,"track":360.0,"epd":3.92,"speed":2.5,"eps":0.98"#)
        let location = try #require(position.location)
        #expect(position.time == Timestamp("2026-11-21T08:30:00.290Z"))
        #expect(position.mode == .threeDimensional)
        #expect(location.timestamp == position.time)
        #expect(location.coordinate == Coordinate(latitude: 48.1, longitude: 11.6))
        #expect(location.altitude == 520)
        #expect(location.ellipsoidalAltitude == 560)
        #expect(abs((location.horizontalAccuracy ?? 0) - 6.1673) < 1e-3)
        #expect(abs((location.verticalAccuracy ?? 0) - 10) < 1e-9)
        #expect(location.course == 0)
        #expect(abs((location.courseAccuracy ?? 0) - 2) < 1e-9)
        #expect(location.speed == 2.5)
        #expect(abs((location.speedAccuracy ?? 0) - 0.5) < 1e-9)
        #expect(location.sourceInformation == .init(kind: .receiver, device: "/dev/x"))
    }

    @Test("gpsd's status is the kind of fix, also after a message with another, and 8 marks a simulation")
    func fixTypes() throws {
        let unpacker = GPSDUnpacker()
        for (status, type) in [
            (3, .rtkFixed), (nil, .standard), (4, .rtkFloat), (0, .standard), (1, .standard), (2, .differential),
            (5, .deadReckoning), (6, .combined), (7, .surveyed), (9, .precise), (8, nil), (77, nil),
        ] as [(Int?, Location.FixType?)] {
            let member = status.map { #""status":\#($0),"# } ?? ""
            let line = #"{"class":"TPV",\#(member)"mode":3,"lat":1.0,"lon":2.0}"#
            guard case .report(.position(let report)) = try unpacker.message(ByteBuffer(string: line), arrival: arrival)
            else {
                Issue.record("no position")
                continue
            }
            #expect(report.location?.fixType == type, "\(status ?? -1)")
            #expect(report.location?.sourceInformation?.isSimulated == (status == 8))
        }
    }

    @Test("an omitted member is absent, also right after a message that had it")
    func absent() throws {
        let unpacker = GPSDUnpacker()
        let full = #"{"class":"TPV","mode":3,"lat":1.0,"lon":2.0,"eph":3.0,"speed":4.0,"track":5.0,"altMSL":6.0}"#
        _ = try unpacker.message(ByteBuffer(string: full), arrival: arrival)
        let empty = #"{"class":"TPV","mode":3}"#
        #expect(
            try unpacker.message(ByteBuffer(string: empty), arrival: arrival)
                == .report(.position(PositionReport(device: nil, mode: .threeDimensional, time: nil, location: nil))))
        let bare = #"{"class":"TPV","mode":2,"lat":1.0,"lon":2.0}"#
        var location = Location(coordinate: Coordinate(latitude: 1, longitude: 2), timestamp: arrival)
        location.sourceInformation = .init(kind: .receiver)
        location.fixType = .standard
        #expect(
            try unpacker.message(ByteBuffer(string: bare), arrival: arrival)
                == .report(.position(PositionReport(device: nil, mode: .twoDimensional, time: nil, location: location)))
        )
    }

    @Test("satellites and headings of an earlier message do not count again")
    func absentElsewhere() throws {
        let unpacker = GPSDUnpacker()
        func report(_ line: String) throws -> GPSDMessage {
            try unpacker.message(ByteBuffer(string: line), arrival: arrival)
        }
        _ = try report(#"{"class":"ATT","device":"/dev/c","heading":10.5}"#)
        #expect(try report(#"{"class":"ATT","device":"/dev/c","time":"2026-11-21T08:30:00.000Z"}"#) == .other("ATT"))
        _ = try report(#"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":3,"used":true},{"PRN":9,"used":true}]}"#)
        #expect(
            try report(#"{"class":"SKY","device":"/dev/a","satellites":[]}"#)
                == .report(.sky(SkyReport(device: "/dev/a", satellitesUsed: 0, satellitesSeen: 0))))
    }

    @Test(
        "without a fix there is no location",
        arguments: [
            #""mode":1,"lat":48.0,"lon":11.0"#, #""mode":0,"lat":48.0,"lon":11.0"#, #""lat":48.0,"lon":11.0"#,
            #""mode":3"#, #""mode":3,"lat":48.0"#, #""mode":3,"lon":11.0"#,
            #""mode":3,"lat":90.1,"lon":11.0"#, #""mode":3,"lat":48.0,"lon":-180.5"#,
        ])
    func noFix(members: String) throws {
        #expect(try position(members).location == nil)
    }

    @Test("impossible values are absent")
    func impossible() throws {
        #expect(try location(#""speed":-1.0"#)?.speed == nil)
        #expect(try location(#""track":360.5"#)?.course == nil)
        #expect(try location(#""track":-1.0"#)?.course == nil)
        #expect(try location(#""eph":-1.0,"epv":-1.0"#)?.horizontalAccuracy == nil)
        for value in ["1e308", "-1e308", "5.1e7", "-12001"] {
            #expect(try location(#""altMSL":\#(value),"altHAE":\#(value)"#)?.altitude == nil)
            #expect(try location(#""altMSL":\#(value),"altHAE":\#(value)"#)?.ellipsoidalAltitude == nil)
        }
        #expect(try location(#""altMSL":-430.5,"altHAE":420000"#)?.altitude == -430.5)
        #expect(try location(#""altMSL":-430.5,"altHAE":420000"#)?.ellipsoidalAltitude == 420_000)
        for error in ["1e308", "5e7"] {
            #expect(try location(#""eph":\#(error)"#)?.horizontalAccuracy == nil)
            #expect(try location(#""epv":\#(error)"#)?.verticalAccuracy == nil)
        }
        #expect(try location(#""speed":12001"#)?.speed == nil)
        #expect(try location(#""speed":7700"#)?.speed == 7700)
        #expect(try location(#""speed":7,"eps":1e308"#)?.speedAccuracy == nil)
        #expect(try location(#""track":7,"epd":1e308"#)?.courseAccuracy == nil)
        #expect(try location(#""time":"""#)?.timestamp == arrival)
        #expect(try location(#""status":8"#)?.sourceInformation?.isSimulated == true)
        #expect(try location(#""status":2"#)?.sourceInformation?.isSimulated == false)
    }

    @Test(
        "numbers keep their values through libgps",
        arguments: [0.0, 1e-7, -1.5e-5, 48.137154321, -89.999999999, 52.473104261, 7.0, 33.333333333333336])
    func precision(latitude: Double) throws {
        let position = try position(#""mode":2,"lat":\#(latitude),"lon":0.0"#)
        let read = try #require(position.location?.coordinate.latitude)
        #expect(abs(read - latitude) <= 1e-13 * max(1, abs(latitude)))
    }

    @Test("a heading is in degrees from true north")
    func heading() throws {
        func heading(_ value: String) throws -> GPSDMessage {
            try report(#"{"class":"ATT","device":"/dev/c","time":"2026-11-21T08:30:00.000Z","heading":\#(value)}"#)
        }
        let expected = Heading(
            trueHeading: 10.5, timestamp: Timestamp("2026-11-21T08:30:00Z")!,
            sourceInformation: .init(kind: .receiver, device: "/dev/c"))
        #expect(try heading("10.5") == .report(.heading(expected)))
        #expect(try heading("14223.0") == .other("ATT"))
        #expect(try report(#"{"class":"ATT","device":"/dev/c","pitch":1.0}"#) == .other("ATT"))
    }
}

/// libgps 3.22 loops for ever on many of these lines; a test that hangs here is the failure.
@Suite("Lines that gpsd would not write", .timeLimit(.minutes(10)))
struct HostileLineTests {
    static let refused: [String] = [
        "", "\0", " ", "x", "{", "}", "{}", "[]", "null", "1", "\"TPV\"", #"{"class":"TPV""#, #"{"class":"TPV"}}"#,
        #"{x"class":"TPV"}"#, #"{"class":"TPV" "mode":3}"#, #"garbage"class":"SKY"garbage"#,
        #"{"class":"TPV"}{"class":"SKY"}"#, #"{"class":"TPV"} x"#, #"["class":"TPV"]"#, #"{"class":3}"#,
        #"{"class":null}"#, #"{"class":["TPV"]}"#, #"{"class":{"class":"TPV"}}"#, #"{"x":{"class":"TPV"}}"#,
        #"{"class":"TPV","mode":"3"}"#, #"{"class":"TPV","lat":"48"}"#, #"{"class":"TPV","lat":[1]}"#,
        #"{"class":"TPV","lat":{"class":"SKY"}}"#, #"{"class":"TPV","lat":nan}"#, #"{"class":"TPV","lat":1e999}"#,
        #"{"class":"TPV","mode":3.5}"#, #"{"class":"TPV","mode":4}"#, #"{"class":"TPV","mode":-3}"#,
        #"{"class":"TPV","mode":900000000000000000}"#, #"{"class":"SKY","satellites":[{"PRN":1e17,"used":true}]}"#,
        #"{"class":"TPV","mode":99999999999999999999}"#,
        #"{"class":"TPV","device":5}"#,
        #"{"class":"SKY","satellites":{}}"#, #"{"class":"SKY","satellites":[1,2]}"#,
        #"{"class":"SKY","satellites":[{"class":"SKY"}]}"#, #"{"class":"SKY","satellites":[{"PRN":1,"used":1}]}"#,
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":5},{"class":"DEVICE","path":"b"}]}"#,
        #"{"class":"DEVICES"}"#, #"{"class":"DEVICE"}"#, #"{"class":"DEVICE","path":"a","activated":true}"#,
        #"{"class":"TPV","device":"\#(String(repeating: "x", count: 200))"}"#,
        #"{"class":"DEVICE","path":"\#(String(repeating: "x", count: 200))"}"#,
        #"{"class":"TPV","x":"\#(String(repeating: "x", count: 17000))"}"#,
        #"{"class":"TPV","x":\#(String(repeating: "[", count: 5000))\#(String(repeating: "]", count: 5000))}"#,
        "{\"class\":\"TPV\",\"device\":\"a\u{0}b\"}", "{\"class\":\"TPV\",\"device\":\"a\nb\"}",
        "{\"class\":\"TPV\",\"lat\":1\0}", "{\"class\":\"TPV\",\"x\":true\0}", "{\"class\":\"TPV\"}\0",
        "\u{FEFF}{\"class\":\"TPV\"}", #"{"class":"TPV",}"#,
        #"{"class":"TPV","class":"TPV"}"#, #"{"class":"TPV","x":{"y":1,"y":1}}"#,
        #"{"class":"TPV","\u0063lass":"SKY"}"#,
        #"{"class":"TPV","device":"\u0000"}"#,
        #"{"class":"TPV","x":"\ud83d"}"#, #"{"class":"TPV","x":"\ude00"}"#, #"{"class":"TPV","x":"\ud83d\ud83d"}"#,
        #"{"class":"TPV","x":"\ud83dx"}"#, #"{"class":"TPV","x":"\u12"}"#, #"{"class":"TPV","x":"\x"}"#,
        #"{"class":"TPV","x":01}"#, #"{"class":"TPV","x":+1}"#, #"{"class":"TPV","x":1.}"#, #"{"class":"TPV","x":.5}"#,
        #"{"class":"TPV","x":1e}"#, #"{"class":"TPV","x":-}"#, #"{"class":"TPV","x":0x10}"#,
        #"{"class":"TPV","x":True}"#,
        #"{"class":"TPV","mode":9223372036854775808}"#, #"{"class":"TPV","mode":true}"#,
        #"{"class":"DEVICE","path":"a","activated":{}}"#,
    ]

    private static func digits(_ count: Int) -> String { String(repeating: "9", count: count) }

    static let harmless: [String] = [
        // Members that are not used do not reach libgps.
        #"{"class":"TPV","x":"a\u0000\"class\":"}"#, #"{"class":"TPV","\u0000":1}"#, #"{"class":"TPV","x":1e999}"#,
        #"{"class":"TPV","x":-1e999}"#, #"{"class":"TPV","x":\#(digits(400))}"#,
        #"{"class":"TPV","x":{"y":1},"z":{"class":"SKY"}}"#, #"{"z":{"class":"SKY"},"class":"TPV","mode":3}"#,
        #"{ "class" : "TPV" , "mode" : 3 }"#, #"{"mode":3,"class":"TPV"}"#, #" {"class":"TPV"} "#,
        #"{"class":"TPV","device":"\"class\":\"SKY\""}"#, #"{"class":"TPV","device":"x\",\"class\":\"SKY\""}"#,
        #"{"class":"TPV","time":"\u0022class\u0022:"}"#, #"{"class":"TPV","device":"\\"}"#,
        #"{"class":"TPV","mode":null}"#, #"{"class":"TPV","\"class\":":1}"#,
        #"{"class":"TPV","time":"9999999-99-99T99:99:99.999Z"}"#,
        #"{"class":"TPV","time":"\#(String(repeating: "9", count: 4000))"}"#,
        #"{"class":"TPV","lat":1e308,"lon":-1e308,"eph":1e-300,"speed":123456789012345678901234567890}"#,
        #"{"class":"TPV","x":[[[[[[1]]]]]]}"#, #"{"class":"TPV","x":\#(digits(300))}"#,
        #"{"class":"TPV","device":"\u0001\u001f\u007f\n"}"#, #"{"class":"TPV","":1}"#,
        #"{"class":"TPV","device":"💥é\ud83d\ude00"}"#,
        #"{"class":"SKY","satellites":[]}"#, #"{"class":"SKY","satellites":null}"#, #"{"class":"ATT"}"#,
        #"{"class":"SKY","satellites":[\#(satellites(400))]}"#,
        #"{"class":"SKY","satellites":[{"PRN":99999999,"used":true}]}"#,
        #"{"class":"DEVICES","devices":[\#(devices(40))]}"#, #"{"class":"DEVICES","devices":[]}"#,
        #"{"class":"VERSION","release":"\#(String(repeating: "3", count: 9000))"}"#,
        #"{"class":"ERROR","message":"\#(String(repeating: "e", count: 9000))"}"#,
        #"{"class":"AIS","class2":"\"class\":\"TPV\""}"#, #"{"class":""}"#, #"{"class":"tpv"}"#,
    ]

    private static func satellites(_ count: Int) -> String {
        (1...count).map { #"{"PRN":\#($0),"used":true}"# }.joined(separator: ",")
    }

    private static func devices(_ count: Int) -> String {
        (1...count).map { #"{"class":"DEVICE","path":"/dev/\#($0)","activated":0}"# }.joined(separator: ",")
    }

    @Test("malformed lines are refused", arguments: refused)
    func refuses(line: String) {
        #expect(throws: GPSDLineError.self) { try report(line) }
    }

    @Test("odd but valid lines are harmless", arguments: harmless)
    func survives(line: String) throws {
        _ = try report(line)
    }

    @Test("a fifth receiver, on which libgps would hang, works like the others")
    func fifthReceiver() throws {
        guard
            case .report(.receivers(let receivers)) = try report(
                #"{"class":"DEVICES","devices":[\#(Self.devices(5))]}"#)
        else {
            Issue.record("not understood")
            return
        }
        #expect(receivers.map(\.device) == (1...5).map { "/dev/\($0)" })
    }

    @Test("randomly broken lines neither hang nor crash")
    func mutations() throws {
        var random = SeededGenerator(seed: 0x6C6F_6361_7465)
        let seeds = [
            #"{"class":"TPV","device":"/dev/ttyACM0","status":1,"mode":3,"time":"2026-04-12T09:30:00.000Z","lat":52.4,"#
                + #""lon":13.4,"altHAE":88.5,"altMSL":48.6,"eph":4.2,"track":68.2,"speed":1.4}"#,
            #"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":3,"el":10.0,"used":true},{"PRN":9,"used":false}]}"#,
            #"{"class":"ATT","device":"/dev/c","time":"2026-11-21T08:30:00.000Z","heading":12.5,"mag_st":"N"}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0},{"class":"DEVICE","#
                + #""path":"/dev/b","activated":"2026-11-21T08:30:00.000Z"}]}"#,
            #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
        ].map { Array($0.utf8) }
        let snippets = [
            #""class":"SKY""#, #"{"class":"TPV"}"#, "{", "}", "[", "]", "\"", "\\", ",", ":", "null", "-1e5", "\\u0000",
            "\0", "é",
        ].map { Array($0.utf8) }
        let unpacker = GPSDUnpacker()
        var understood = 0
        for _ in 0..<30_000 {
            var line = seeds.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...4, using: &random) where !line.isEmpty {
                let index = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: line[index] = UInt8.random(in: 0...255, using: &random)
                case 1: line.remove(at: index)
                case 2: line.insert(contentsOf: snippets.randomElement(using: &random)!, at: index)
                case 3: line.insert(contentsOf: line[index...].prefix(40), at: index)
                default: line.removeSubrange(index..<min(line.count, index + 10))
                }
            }
            if (try? unpacker.message(ByteBuffer(bytes: line), arrival: arrival)) != nil { understood += 1 }
        }
        #expect(understood > 100, "the mutations should not all be caught by the gate")
    }
}
