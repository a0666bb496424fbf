import LocationModel
import SeededRandom
import Testing

@testable import FleetModel

private let now = Timestamp(secondsSince1970: 1_795_000_000)
private let topic = FleetTopic("owntracks/fleet/van7")!

private func message(
    _ text: String, on topic: FleetTopic = topic, isRetained: Bool = false
) throws(FleetMessageFlaw) -> FleetMessage {
    try FleetMessage(Array(text.utf8), of: topic, isRetained: isRetained, at: now)
}

/// A row: who writes it, the text, and what is read of it.
private struct Reading: Sendable, CustomTestStringConvertible {
    var writer: String
    var text: String
    var latitude: Double
    var longitude: Double
    var accuracy: Double?
    var altitude: Double?
    /// In km/h, as written.
    var velocity: Double?
    var course: Double?
    var battery: Int?
    var seconds = 1_794_999_990.0

    var testDescription: String { writer }
}

@Suite("Messages of vehicles")
struct FleetMessageTests {
    private static let readings = [
        Reading(
            writer: "locationd",
            text:
                #"{"_type":"location","lat":47.1412345,"lon":9.5,"acc":4,"tst":1794999990,"alt":455,"vac":7,"vel":36,"cog":90,"_id":"19a"}"#,
            latitude: 47.1412345, longitude: 9.5, accuracy: 4, altitude: 455, velocity: 36, course: 90),
        Reading(
            writer: "OwnTracks for Android, which leaves out what is 0",
            text:
                #"{"_type":"location","_id":"8f2e","BSSID":"02:00:00:00:00:00","SSID":"home","acc":13,"alt":0,"batt":81,"bs":1,"#
                + #""conn":"w","created_at":1794999991,"lat":52.5,"lon":13.4,"m":1,"t":"u","tid":"s7","tst":1794999990,"vac":2}"#,
            latitude: 52.5, longitude: 13.4, accuracy: 13, altitude: 0, battery: 81),
        Reading(
            writer: "OwnTracks for iOS, which writes -1 for unknown speeds and courses",
            text:
                #"{"_type":"location","acc":65,"alt":34,"batt":100,"cog":-1,"inregions":["Work"],"inrids":["a1"],"lat":48.85,"#
                + #""lon":2.35,"motionactivities":["stationary"],"p":101.2,"tid":"JJ","topic":"owntracks/x/y","tst":1794999990,"vac":10,"vel":-1}"#,
            latitude: 48.85, longitude: 2.35, accuracy: 65, altitude: 34, battery: 100),
        Reading(
            writer: "a tracker with numbers in strings, as Recorder and Home Assistant read them",
            text:
                #"{"_type":"location","lat":"-33.9","lon":"18.42","tst":"1794999990","acc":"10","vel":"12.5","cog":"270"}"#,
            latitude: -33.9, longitude: 18.42, accuracy: 10, velocity: 12.5, course: 270),
        Reading(
            writer: "a program that writes fractions",
            text: #"{"_type":"location","lat":1e1,"lon":-1.795e2,"tst":1794999990.25,"vel":0.5,"cog":359.9}"#,
            latitude: 10, longitude: -179.5, velocity: 0.5, course: 359.9, seconds: 1_794_999_990.25),
        Reading(
            writer: "a program without accuracy, which Home Assistant ignores",
            text: #"{"_type":"location","lat":90,"lon":180,"tst":1794999990,"acc":0}"#, latitude: 90, longitude: 180),
        Reading(
            writer: "a full circle", text: #"{"_type":"location","lat":0,"lon":0,"tst":1794999990,"cog":360}"#,
            latitude: 0,
            longitude: 0, course: 0),
        Reading(
            writer: "values out of range, of which the position is left",
            text:
                #"{"_type":"location","lat":0,"lon":0,"tst":1794999990,"acc":-5,"alt":1e9,"vel":1e9,"cog":361,"batt":101,"vac":null}"#,
            latitude: 0, longitude: 0),
        Reading(
            writer: "values of other types, of which the position is left",
            text:
                #"{"_type":"location","lat":0,"lon":0,"tst":1794999990,"acc":{"a":[1]},"alt":true,"vel":"0x10","cog":"nan","batt":[]}"#,
            latitude: 0, longitude: 0),
    ]

    @Test("a position is read as its sender meant it", arguments: readings)
    private func position(_ reading: Reading) throws {
        guard case .position(let position) = try message(reading.text, isRetained: true) else {
            Issue.record("no position")
            return
        }
        let location = position.location
        #expect(location.coordinate == Coordinate(latitude: reading.latitude, longitude: reading.longitude))
        #expect(location.horizontalAccuracy == reading.accuracy && location.altitude == reading.altitude)
        #expect(location.speed == reading.velocity.map { $0 / 3.6 } && location.course == reading.course)
        #expect(position.battery == reading.battery)
        #expect(abs(location.timestamp.secondsSince1970 - reading.seconds) < 1e-6)
    }

    @Test(
        "a position that cannot be used is refused with its reason",
        arguments: [
            (#""lon":1,"tst":1794999990"#, FleetMessageFlaw.missing("lat")),
            (#""lat":1,"tst":1794999990"#, .missing("lon")),
            // What a service is sent for a position that is to be forgotten.
            (#""lat":null,"lon":null,"acc":1,"tst":1794999990"#, .missing("lat")),
            (#""lat":1,"lon":1"#, .missing("tst")),
            (#""lat":90.1,"lon":1,"tst":1794999990"#, .outOfRange("lat, lon")),
            (#""lat":1,"lon":-180.1,"tst":1794999990"#, .outOfRange("lat, lon")),
            (#""lat":1e999,"lon":1,"tst":1794999990"#, .outOfRange("lat, lon")),
            (#""lat":"here","lon":1,"tst":1794999990"#, .outOfRange("lat, lon")),
            (#""lat":"nan","lon":1,"tst":1794999990"#, .outOfRange("lat, lon")),
            (#""lat":"\#(String(repeating: "0", count: 40))","lon":1,"tst":1794999990"#, .outOfRange("lat, lon")),
            (#""lat":1,"lon":1,"tst":-1"#, .outOfRange("tst")),
            (#""lat":1,"lon":1,"tst":1e300"#, .outOfRange("tst")),
            (#""lat":1,"lon":1,"tst":"soon""#, .outOfRange("tst")),
            // In milliseconds, as JavaScript counts.
            (#""lat":1,"lon":1,"tst":1794999990000"#, .outOfRange("tst")),
            (#""lat":1,"lon":1,"tst":1795000301"#, .inFuture),
            (#""lat":1,"lon":1,"tst":0"#, .tooOld),
            (#""lat":1,"lon":1,"tst":1763377599"#, .tooOld),
            // Two readers would put it at two places.
            (#""lat":1,"lat":2,"lon":1,"tst":1794999990"#, .notJSON),
        ])
    func refused(members: String, flaw: FleetMessageFlaw) {
        #expect(throws: flaw) { try message(#"{"_type":"location",\#(members)}"#, isRetained: true) }
    }

    @Test("a time at the edge of the accepted ones is taken", arguments: [1_795_000_300, 1_763_377_600])
    func edge(seconds: Int) throws {
        let message = try message(#"{"_type":"location","lat":1,"lon":1,"tst":\#(seconds)}"#)
        if case .position = message {} else { Issue.record("\(message)") }
    }

    @Test("a position without a time counts as of its arrival, unless the broker kept it")
    func arrival() throws {
        let text = #"{"_type":"location","lat":1,"lon":1}"#
        guard case .position(let position) = try message(text) else {
            Issue.record("no position")
            return
        }
        #expect(position.location.timestamp == now)
        #expect(throws: FleetMessageFlaw.missing("tst")) { try message(text, isRetained: true) }
    }

    @Test(
        "other messages move no vehicle",
        arguments: [
            ("", "owntracks/fleet/van7", FleetMessage.ended), ("", "owntracks/fleet/van7/info", .name(nil)),
            ("", "owntracks/fleet/van7/event", .other("")),
            (#"{"_type":"lwt","tst":1794999990}"#, "owntracks/fleet/van7", .connectionLost),
            // Only the topic of the positions has the will of the vehicle's own connection.
            (#"{"_type":"lwt","tst":1794999990}"#, "owntracks/fleet/van7/status", .other("lwt")),
            (
                #"{"_type":"location","lat":1,"lon":1,"tst":1794999990}"#, "owntracks/fleet/van7/event",
                .other("location")
            ),
            (
                #"{"_type":"transition","event":"enter","desc":"Depot","lat":1,"lon":1,"tst":1794999990,"wtst":1,"acc":3}"#,
                "owntracks/fleet/van7/event", .other("transition")
            ),
            (
                #"{"_type":"waypoint","desc":"Depot","lat":1,"lon":1,"rad":50,"tst":1}"#,
                "owntracks/fleet/van7/waypoint",
                .other("waypoint")
            ),
            (
                #"{"_type":"waypoints","_creator":"x","waypoints":[{"_type":"waypoint"}]}"#,
                "owntracks/fleet/van7/waypoints", .other("waypoints")
            ),
            (#"{"_type":"cmd","action":"reportLocation"}"#, "owntracks/fleet/van7/cmd", .other("cmd")),
            (#"{"_type":"card","name":"Ann","tid":"an","face":"iVBO"}"#, "owntracks/fleet/van7/info", .name("Ann")),
            (#"{"_type":"card","name":" \n "}"#, "owntracks/fleet/van7/info", .name(nil)),
            (#"{"_type":"card","name":7}"#, "owntracks/fleet/van7/info", .name(nil)),
        ])
    func others(text: String, topic: String, expected: FleetMessage) throws {
        #expect(try message(text, on: #require(FleetTopic(topic))) == expected)
    }

    @Test("a message that is not OwnTracks' is refused")
    func foreign() {
        let rows: [(String, FleetMessageFlaw)] = [
            ("7", .notJSON), ("[]", .notJSON), ("{}", .missing("_type")), (#"{"_type":null}"#, .missing("_type")),
            (#"{"_type":"encrypted","data":"AAAA"}"#, .encrypted), ("{\"_type\":\"location\"}\n{}", .notJSON),
            (String(repeating: #"{"a":"#, count: 600) + "1" + String(repeating: "}", count: 600), .notJSON),
            (String(repeating: " ", count: FleetMessage.longest + 1), .tooLong),
        ]
        for (text, flaw) in rows { #expect(throws: flaw) { try message(text) } }
        #expect(throws: FleetMessageFlaw.notJSON) {
            try FleetMessage([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d], of: topic, isRetained: false, at: now)
        }
    }

    @Test("a name has a limit, and a type that is kept, too")
    func lengths() throws {
        let long = String(repeating: "x\u{301}", count: 5000)
        guard case .name(let name?) = try message(#"{"_type":"card","name":"\#(long)"}"#) else {
            Issue.record("no name")
            return
        }
        #expect(name.unicodeScalars.count == FleetMessage.longestName)
        guard case .other(let type) = try message(#"{"_type":"\#(String(repeating: "y", count: 5000))"}"#) else {
            Issue.record("no type")
            return
        }
        #expect(type.count == FleetMessage.longestName)
    }

    @Test(
        "a topic has a user and a device, and a message's kind",
        arguments: [
            ("owntracks/fleet/van7", "owntracks/fleet/van7", nil as String?),
            ("owntracks/fleet/van7/info", "owntracks/fleet/van7", "info"),
            ("owntracks/fleet", nil, nil), ("owntracks/fleet/", nil, nil), ("owntracks//van7", nil, nil),
            ("/owntracks/fleet", nil, nil), ("zigbee/fleet/van7", nil, nil), ("owntracks/a/b/c/d", nil, nil),
            ("", nil, nil), ("owntracks/fleet/van7/", nil, nil), ("owntracks/fleet//info", nil, nil),
            // A letter that joins the separator before it.
            ("owntracks/\u{301}a/b/info", "owntracks/\u{301}a/b", "info"),
        ] as [(String, String?, String?)])
    func topics(text: String, vehicle: String?, kind: String?) {
        let topic = FleetTopic(text)
        #expect(topic?.vehicle == vehicle && topic?.kind == kind)
        #expect(FleetTopic("owntracks/fleet/" + String(repeating: "v", count: 185)) == nil)
    }

    @Test("a message that is cut short or damaged is refused, or read within all ranges")
    func damaged() throws {
        let whole = Array(Self.readings[1].text.utf8)
        for length in 1..<whole.count {
            #expect(throws: FleetMessageFlaw.notJSON) {
                try FleetMessage(Array(whole.prefix(length)), of: topic, isRetained: false, at: now)
            }
        }
        var generator = SeededGenerator(seed: 54)
        var positions = 0
        for _ in 0..<20_000 {
            var bytes = Array(Self.readings.randomElement(using: &generator)!.text.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[index] = "0123456789-+.eE\"{}[],:".utf8.randomElement(using: &generator)!
                case 2: bytes.remove(at: index)
                default: bytes.insert(bytes[index], at: index)
                }
            }
            guard
                case .position(let position)? = try? FleetMessage(bytes, of: topic, isRetained: false, at: now)
            else { continue }
            positions += 1
            let location = position.location
            #expect((-300...366.0 * 86_400).contains(now.duration(since: location.timestamp) / .seconds(1)))
            #expect(location.speed.map { (0...1112).contains($0) } ?? true)
            #expect(location.course.map { (0..<360).contains($0) } ?? true)
            #expect(location.horizontalAccuracy.map { $0 > 0 && $0 <= 1e7 } ?? true)
        }
        // Most of the damage is to the values.
        #expect(positions > 2000)
    }
}
