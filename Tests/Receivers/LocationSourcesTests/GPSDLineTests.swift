@testable import GPSDProtocol
import FoundationEssentials
import NIOCore
import SeededRandom
import Testing

@testable import LocationSources

@Suite("The strict decoder in front of libgps", .timeLimit(.minutes(10)))
struct GPSDLineTests {
    private func position(_ members: String) throws -> GPSDLine.Position {
        guard case .position(let position) = try GPSDLine(Array(#"{"class":"TPV",\#(members)}"#.utf8)) else {
            throw GPSDLineError.notProtocol
        }
        return position
    }

    @Test(
        "numbers are accepted in any notation of JSON",
        arguments: [
            ("3", 3), ("3.0", 3), ("0.3e1", 3), ("30E-1", 3), ("-0", 0), ("-0.0", 0), ("1e-999", 0), ("-7", -7),
        ])
    func numbers(text: String, value: Int) throws {
        let position = try position(#""status":\#(text),"lat":\#(text)"#)
        #expect(position.status == value)
        #expect(position.lat == Double(value))
    }

    @Test("a sign survives, and so does a number beyond 64 bits")
    func extremes() throws {
        #expect(try position(#""lat":-0"#).lat?.sign == .minus)
        #expect(
            try position(#""speed":123456789012345678901234567890"#).speed == 1.2345678901234568e29)
        #expect(try position(#""speed":1.7976931348623157e308"#).speed == .greatestFiniteMagnitude)
    }

    @Test(
        "a mode is 0 to 3, and an integer is one exactly",
        arguments: [
            (#""mode":4"#, false), (#""mode":-1"#, false), (#""mode":2.5"#, false),
            (#""mode":900000000000000000"#, false),
            (#""mode":922337203685477808"#, false), (#""mode":1e308"#, false), (#""mode":3.0"#, true),
            (#""status":9007199254740991"#, true), (#""status":9007199254740993"#, false),
            (#""status":-9007199254740993"#, false),
        ])
    func integers(members: String, isAccepted: Bool) {
        #expect(((try? position(members)) != nil) == isAccepted)
    }

    @Test("another decoder agrees on every report of the GPSD project's recordings", Recording.suiteIsNamed)
    func suite() throws {
        for line in try Recording.suite.flatMap({ try $0.check() }) {
            // The suite has a few messages that are no JSON: gpsd's expectation ends some with a comment.
            guard let new = try? GPSDLine(Array(line.utf8)) else { continue }
            #expect(Formerly.reads(Array(line.utf8), as: new), "\(line)")
        }
    }

    @Test("null reads as absent")
    func null() throws {
        let position = try position(#""mode":null,"lat":null,"time":null"#)
        #expect(position.mode == nil && position.lat == nil && position.time == nil)
    }

    @Test(
        "invalid UTF-8 is refused anywhere",
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func encoding(bytes: [UInt8]) throws {
        for (before, after) in [("{\"class\":\"TPV\",\"x\":\"", "\"}"), ("{\"class\":\"TPV\",\"", "\":1}"), ("", "{}")]
        {
            let line = Array(before.utf8) + bytes + Array(after.utf8)
            #expect(throws: GPSDLineError.notProtocol) { try GPSDLine(line) }
        }
        let wide = "{\"class\":\"TPV\"}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(throws: GPSDLineError.notProtocol) { try GPSDLine(wide) }
    }

    @Test("nesting is accepted to the scanner's depth, and no deeper", arguments: [("[", "]"), (#"{"":"#, "}")])
    func depth(opening: String, closing: String) throws {
        func line(_ depth: Int) -> [UInt8] {
            let nested =
                String(repeating: opening, count: depth - 2) + "[]" + String(repeating: closing, count: depth - 2)
            return Array(#"{"class":"PPS","x":\#(nested)}"#.utf8)
        }
        guard case .other("PPS") = try GPSDLine(line(512)) else {
            Issue.record("read as something else")
            return
        }
        #expect(throws: GPSDLineError.notProtocol) { try GPSDLine(line(513)) }
    }

    @Test("the longest line is accepted, and one byte more is refused")
    func length() throws {
        let line = #"{"class":"PPS"}"#
        let spaces = String(repeating: " ", count: GPSDLine.maximumLength - line.utf8.count)
        _ = try GPSDLine(Array((line + spaces).utf8))
        #expect(throws: GPSDLineError.tooLong) { try GPSDLine(Array((line + spaces + " ").utf8)) }
    }

    @Test("interference and the antenna are read where they are numbers, and cost no position where they are not")
    func doubts() throws {
        func read(_ members: String) throws -> GPSDLine.Position? {
            let line = try GPSDLine(Array("{\"class\":\"TPV\",\"lat\":1,\(members)}".utf8))
            return if case .position(let position) = line { position } else { nil }
        }
        let numbers = try #require(try read(#""jam":200,"ant":2"#))
        #expect((numbers.jam, numbers.ant, numbers.lat) == (200, 2, 1))
        let others = try #require(try read(#""jam":"high","ant":1.5"#))
        #expect((others.jam, others.ant, others.lat) == (nil, nil, 1))
    }

    @Test("libgps gets the decoded values as JSON, with one class and no control character")
    func rewriting() throws {
        var random = SeededGenerator(seed: 0x6A61_6E73)
        func text() -> String {
            let pieces =
                ["\"class\":", "\\", "\"", "/", "é", "💥", "\u{7F}", "\u{2028}", "a"]
                + (0..<0x20).map { code in
                    String(UnicodeScalar(UInt8(code)))
                }
            return (0..<Int.random(in: 0...9, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
        }
        func number() -> Double? {
            let number = Double(bitPattern: random.next())
            return number.isFinite ? number : nil
        }
        var rewritten = LibGPSLine()
        for _ in 0..<2000 {
            var position = GPSDLine.Position(
                device: text(), time: text(), mode: Int.random(in: .min ... .max, using: &random))
            position.lat = number()
            position.lon = Double.random(in: -180...180, using: &random)
            position.eps = Double.leastNonzeroMagnitude
            position.speed = Double(Int.random(in: 0...100, using: &random))
            rewritten.write(position)
            let read = try readBack(&rewritten, as: Formerly.Position.self)
            #expect("\(read)" == "\(position)")
            let sky = GPSDLine.Sky(
                device: text(),
                satellites: (0..<Int.random(in: 0...3, using: &random)).map { .init(number: $0 - 1, isUsed: $0 > 1) })
            rewritten.write(sky)
            #expect(try readBack(&rewritten, as: Formerly.Sky.self).isSame(as: sky))
        }
    }

    /// The line as another JSON decoder reads it.
    private func readBack<Message: Decodable>(_ line: inout LibGPSLine, as type: Message.Type) throws -> Message {
        var text = ""
        line.withCString { text = $0.map { String(cString: $0) } ?? "" }
        #expect(text.hasPrefix("{\"class\":\"") && text.split(separator: "\"class\":").count == 2)
        #expect(text.utf8.allSatisfy { $0 >= 0x20 })
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test("another decoder agrees on every accepted line, recorded or randomly broken")
    func comparison() throws {
        let checkout = String(#filePath.dropLast("Tests/Receivers/LocationSourcesTests/GPSDLineTests.swift".count))
        let recorded = [UInt8](try Data(contentsOf: URL(filePath: checkout + "Config/demo/track.json")))
            .split(separator: UInt8(ascii: "\n")).map(Array.init)
        // Not the GPSD project's recordings, so that the same lines are drawn with and without them.
        let reports = try Recording.own.flatMap { try $0.check() }.map { Array($0.utf8) }
        let hostile = (HostileLineTests.refused + HostileLineTests.harmless).map { Array($0.utf8) }
        let messages = [
            #"{"class":"ATT","device":"/dev/c","time":"2026-11-21T08:30:00.000Z","heading":12.5,"mag_st":"N"}"#,
            #"{"class":"TPV","device":"/dev/é\"\\\u0041","mode":3,"lat":-1e-5,"lon":1.25E2,"eph":null,"x":[{"y":-0}]}"#,
        ].map { Array($0.utf8) }
        let lines = recorded + messages + reports + hostile
        let snippets = [
            "{", "}", "[", "]", "\"", "\\", ",", ":", "null", "true", "-1e5", "\\u0000", "\\u00e9", "\\ud83d", "0", ".",
            "e3",
            "-", " ", "\0", "é", #""lat":1,"#, #","mode":2"#,
        ].map { Array($0.utf8) }
        var random = SeededGenerator(seed: 0x6C69_6E65)
        var accepted = 0
        for number in 0..<40_000 {
            var line = number < lines.count ? lines[number] : lines.randomElement(using: &random)!
            for _ in 0..<(number < lines.count ? 0 : Int.random(in: 1...3, using: &random)) where !line.isEmpty {
                let index = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: line[index] = UInt8.random(in: 0x20...0x7E, using: &random)
                case 1: line.remove(at: index)
                case 2: line.insert(contentsOf: snippets.randomElement(using: &random)!, at: index)
                case 3: line.insert(contentsOf: line[index...].prefix(12), at: index)
                default: line.removeSubrange(index..<min(line.count, index + 6))
                }
            }
            guard let new = try? GPSDLine(line) else { continue }
            accepted += 1
            #expect(Formerly.reads(line, as: new), "\(String(decoding: line, as: UTF8.self))")
        }
        #expect(accepted > 5000, "the mutations should not all be caught by the gate")
    }
}

/// The same members, decoded by Foundation.
private enum Formerly {
    struct Position: Decodable {
        var device: String?
        var time: String?
        var mode: Int?
        var status: Int?
        var lat, lon, altMSL, altHAE: Double?
        var eph, epv: Double?
        var track, epd: Double?
        var speed, eps: Double?
        var jam, ant: Int?
    }

    struct Sky: Decodable {
        var device: String?
        var satellites: [Satellite]?

        struct Satellite: Decodable {
            // gpsd's own spelling.
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var PRN: Int
            var used: Bool
        }

        func isSame(as sky: GPSDLine.Sky) -> Bool {
            device == sky.device && satellites?.map(\.PRN) == sky.satellites?.map(\.number)
                && satellites?.map(\.used) == sky.satellites?.map(\.isUsed)
        }
    }

    struct Attitude: Decodable {
        var device: String?
        var time: String?
        var heading: Double?
    }

    struct Message: Decodable {
        var `class`: String
    }

    /// True if Foundation finds the same `message` in `line`.
    static func reads(_ line: [UInt8], as message: GPSDLine) -> Bool {
        func read<T: Decodable>(_ type: T.Type, of name: String) -> T? {
            let line = Data(line)
            guard (try? JSONDecoder().decode(Message.self, from: line))?.class == name else { return nil }
            return try? JSONDecoder().decode(type, from: line)
        }
        return switch message {
        // The structs have the same names for the same members, and a number's description is the number.
        case .position(let new): read(Position.self, of: "TPV").map { "\($0)" == "\(new)" } ?? false
        case .sky(let new): read(Sky.self, of: "SKY")?.isSame(as: new) ?? false
        case .attitude(let new): read(Attitude.self, of: "ATT").map { "\($0)" == "\(new)" } ?? false
        case .version: read(Message.self, of: "VERSION") != nil
        case .devices: read(Message.self, of: "DEVICES") != nil
        case .device: read(Message.self, of: "DEVICE") != nil
        case .error: read(Message.self, of: "ERROR") != nil
        case .other(let name): read(Message.self, of: name) != nil
        }
    }
}
