import LocationModel
import Testing

@testable import LocationSharing

@Suite("Messages to Home Assistant and its answers", .timeLimit(.minutes(10)))
struct HomeAssistantTests {
    private static let time = Timestamp(secondsSince1970: 1_800_000_000, nanoseconds: 900_000_000)

    private static func text(_ message: ShareMessage) -> String {
        String(decoding: OwnTracksMessage.body(message), as: UTF8.self)
    }

    @Test("a position has OwnTracks' units: km/h, whole metres and degrees, seconds of the fix")
    func position() {
        var location = Location(
            coordinate: Coordinate(latitude: 47.14123456789, longitude: -0.0000012)!, timestamp: Self.time)
        (location.horizontalAccuracy, location.verticalAccuracy) = (3.2, 7.5)
        (location.altitude, location.speed, location.course) = (450.4, 12.5, 359.6)
        #expect(
            Self.text(.positions([ShareRecord(location)]))
                == #"{"_type":"location","lat":47.1412346,"lon":-0.0000012,"acc":4,"tst":1800000000,"alt":450,"vac":8,"vel":45,"#
                + #""cog":360}"#)
    }

    @Test("an unknown accuracy is written as 50 m and never as 0, which Home Assistant drops")
    func accuracy() {
        var location = Location(coordinate: Coordinate(latitude: 47, longitude: 9)!, timestamp: Self.time)
        #expect(
            Self.text(.positions([ShareRecord(location)]))
                == #"{"_type":"location","lat":47,"lon":9,"acc":50,"tst":1800000000}"#)
        location.horizontalAccuracy = 0
        #expect(Self.text(.positions([ShareRecord(location)])).contains(#""acc":1,"#))
    }

    @Test("the end has no coordinates, and a test has nothing that Home Assistant reads")
    func endAndTest() {
        #expect(
            Self.text(.end(at: Self.time)) == #"{"_type":"location","lat":null,"lon":null,"acc":1,"tst":1800000000}"#)
        #expect(Self.text(.test(at: Self.time)) == #"{"_type":"lwt","tst":1800000000}"#)
    }

    private static let answers: [(Int, String, String)] = [
        (200, "[]", "stored"), (200, #" [{"_type":"location"}]"#, "stored"), (200, "", "doubtful"),
        (200, "\n", "doubtful"),
        (200, "<html>Terms</html>", "again"), (200, #"{"result":"ok"}"#, "again"), (301, "", "doubtful"),
        (302, "", "doubtful"), (401, "", "doubtful"), (403, "", "doubtful"), (404, "", "doubtful"),
        (405, "", "doubtful"), (400, "", "refused"),
        (413, "", "refused"), (422, "[]", "refused"), (408, "", "again"), (425, "", "again"), (429, "", "again"),
        (500, "[]", "unclear"), (502, "<html>", "again"), (503, "", "again"),
    ]

    @Test("an answer is interpreted by its status and its content", arguments: answers)
    func answer(status: Int, body: String, expected: String) {
        let verdict = ShareAnswer.verdict(
            of: .homeassistant, status: status, body: Array(body.utf8), retryAfter: 7, origin: "https://ha.example")
        #expect(verdict.name == expected)
        if status == 429 {
            #expect(verdict == .again("https://ha.example accepts nothing now (HTTP status 429).", after: 7))
        }
    }

    @Test("a redirection is named by its origin, without the secret in its path")
    func redirection() {
        let verdict = ShareAnswer.verdict(
            of: .homeassistant, status: 301, body: [], redirect: "https://new.example:8123/api/webhook/abc",
            origin: "https://ha.example")
        #expect(
            verdict
                == .doubtful(
                    "https://ha.example redirects to https://new.example:8123. Add the destination with the URL there.")
        )
    }

    @Test(
        "the tracker has the name that Home Assistant makes",
        arguments: [("ann", "van", "ann_van"), ("Ann B", "Van-1", "ann_b_van_1")])
    func tracker(user: String, device: String, expected: String) throws {
        var generator = SystemRandomNumberGenerator()
        let url = try ServiceURL("https://ha.example/api/webhook/a", of: .homeassistant, allowsPlain: false)
        let destination = try Destination(
            name: "home", service: .homeassistant, url: url, user: user, device: device, using: &generator)
        #expect(destination.tracker == "device_tracker." + expected)
    }

    @Test(
        "a name or label that could be another header, topic or file is refused",
        arguments: ["", "a/b", "a\r\nX: y", "ä", "..", "a#"])
    func labels(text: String) throws {
        var generator = SystemRandomNumberGenerator()
        let url = try ServiceURL("https://ha.example/api/webhook/a", of: .homeassistant, allowsPlain: false)
        #expect(throws: InvalidDestination.self) {
            _ = try Destination(
                name: "home", service: .homeassistant, url: url, user: text, device: "van", using: &generator)
        }
        #expect(!Destination.isName(text))
    }
}

@Suite("URLs and times of the command line", .timeLimit(.minutes(10)))
struct ArgumentTests {
    @Test(
        "the URL of a webhook is taken, of which only the origin is shown",
        arguments: [
            ("https://ha.example/api/webhook/0a1b", "https://ha.example"),
            ("https://ha.example:8123/ha/api/webhook/0a1b", "https://ha.example:8123"),
            ("http://192.168.1.2:8123/api/webhook/0a1b", "http://192.168.1.2:8123"),
            ("https://hooks.nabu.casa/gAAAAA", "https://hooks.nabu.casa"),
        ])
    func accepted(text: String, origin: String) throws {
        let url = try ServiceURL(text, of: .homeassistant, allowsPlain: true)
        #expect(url.secret == text && url.origin == origin && "\(url)" == origin)
    }

    @Test(
        "another URL is refused, and the message does not contain it",
        arguments: [
            "", "ha.example", "ftp://ha.example/api/webhook/SECRET", "https://ann:SECRET@ha.example/api/webhook/SECRET",
            "https://ha.example/lovelace/SECRET", "https://ha.example/api/webhook/",
            "https://ha.example/api/webhook/SECRET/x",
            "https://ha.example/api/webhook/SECRET?x", "https://ha.example", "https://ha.example/api/webhook/SE CRET",
            "http://ha.example/api/webhook/SECRET",
        ])
    func refused(text: String) throws {
        let error = try #require(throws: InvalidServiceURL.self) {
            _ = try ServiceURL(text, of: .homeassistant, allowsPlain: false)
        }
        #expect(!"\(error)".contains("SECRET"))
    }

    @Test(
        "a duration has units", arguments: [("90m", 5400), ("2h", 7200), ("1h30m", 5400), ("1d", 86_400), ("60s", 60)])
    func duration(text: String, seconds: Int) throws { #expect(try ShareTerm.duration(text) == .seconds(seconds)) }

    @Test(
        "another duration, or one beyond a day, is refused",
        arguments: ["", "2", "h", "2x", "-1h", "59s", "25h", "9999999h", "1.5h"])
    func noDuration(text: String) { #expect(throws: InvalidTerm.self) { _ = try ShareTerm.duration(text) } }

    @Test(
        "the time between two positions is a second to an hour",
        arguments: [("1s", 1), ("5m", 300), ("1h", 3600), ("0s", nil), ("61m", nil), ("10", nil)])
    func interval(text: String, seconds: Int?) {
        #expect((try? ShareTerm.interval(text)) == seconds.map { .seconds($0) })
    }

    @Test(
        "a time of day has hours and minutes",
        arguments: [("18:00", true), ("7:05", true), ("24:00", false), ("18", false), ("18:60", false)])
    func timeOfDay(text: String, isTime: Bool) { #expect(((try? ShareTerm.timeOfDay(text)) != nil) == isTime) }
}
