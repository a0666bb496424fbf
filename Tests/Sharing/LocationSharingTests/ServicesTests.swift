import LocationModel
import Testing

@testable import LocationSharing

@Suite("Messages to the other services and their answers", .timeLimit(.minutes(10)))
struct ServicesTests {
    private static let time = Timestamp(secondsSince1970: 1_800_000_000, nanoseconds: 500_000_000)

    private static var full: Location {
        var location = bare
        (location.horizontalAccuracy, location.verticalAccuracy) = (3.24, 7.5)
        (location.altitude, location.speed, location.course) = (450.4, 12.5, 90)
        return location
    }

    private static var bare: Location {
        Location(coordinate: Coordinate(latitude: 47.1412346, longitude: 9.5)!, timestamp: time)
    }

    private static func request(
        _ message: ShareMessage, _ service: SharingService, _ text: String
    ) throws -> ShareRequest? {
        let access = try ServiceAccess(text, of: service, allowsPlain: false)
        var generator = SystemRandomNumberGenerator()
        let destination = try Destination(
            name: "home", service: service, url: access.address, user: "ann", device: "van", using: &generator)
        return ShareRequest(message, to: destination, access, version: "1")
    }

    private static func body(_ location: Location, _ service: SharingService, _ text: String) throws -> String {
        String(
            decoding: try #require(try request(.positions([ShareRecord(location)]), service, text)).body, as: UTF8.self)
    }

    @Test("Traccar gets all six coordinates, -1 for an unknown speed or heading")
    func traccar() throws {
        let text = "https://traccar.example\nvan-0a1b"
        #expect(
            try Self.body(Self.full, .traccar, text)
                == #"{"device_id":"van-0a1b","location":{"timestamp":"2027-01-15T08:00:00.500Z","coords":{"latitude":47.1412346,"#
                + #""longitude":9.5,"accuracy":3.2,"speed":12.5,"heading":90,"altitude":450.4}}}"#)
        #expect(
            try Self.body(Self.bare, .traccar, text).hasSuffix(
                #""accuracy":50,"speed":-1,"heading":-1,"altitude":0}}}"#))
        #expect(try Self.request(.end(at: Self.time), .traccar, text) == nil)
        #expect(try Self.request(.test(at: Self.time), .traccar, text) == nil)
    }

    @Test("a batch has longitude first, metres a second, and a time with a Z")
    func overland() throws {
        #expect(
            try Self.body(Self.full, .dawarich, "https://dawarich.example\nkey")
                == #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[9.5,47.1412346]},"properties":{"#
                + #""timestamp":"2027-01-15T08:00:00.500Z","horizontal_accuracy":3.2,"device_id":"van","vertical_accuracy":7.5,"#
                + #""altitude":450.4,"speed":12.5,"course":90}}]}"#)
        #expect(
            try Self.body(Self.bare, .overland, "https://reitti.example/api/v1/ingest/overland\ntoken").contains(
                #""horizontal_accuracy":50,"device_id":"van"}}"#))
        let test = try Self.request(.test(at: Self.time), .dawarich, "https://dawarich.example\nkey")
        #expect(test.map { String(decoding: $0.body, as: UTF8.self) } == #"{"locations":[]}"#)
    }

    @Test("Recorder gets the topic, km/h, and user and password by basic authentication")
    func owntracks() throws {
        let request = try #require(
            try Self.request(.positions([ShareRecord(Self.full)]), .owntracks, "https://tracks.example/pub\nann:pass"))
        #expect(request.headers.contains("Authorization: Basic YW5uOnBhc3M="))
        #expect(request.headers.contains("X-Limit-U: ann") && request.headers.contains("X-Limit-D: van"))
        let text = String(decoding: request.body, as: UTF8.self)
        #expect(text.contains(#""vel":45,"#) && text.hasSuffix(#""topic":"owntracks/ann/van"}"#))
        let open = try #require(try Self.request(.test(at: Self.time), .owntracks, "https://tracks.example/pub"))
        #expect(!open.headers.contains { $0.hasPrefix("Authorization") })
    }

    @Test(
        "each service's endpoint follows from the address of its page",
        arguments: [
            (SharingService.traccar, "https://t.example:8082\nid", "https://t.example:8082/"),
            (.dawarich, "https://d.example/\nkey", "https://d.example/api/v1/points"),
            (.owntracks, "https://o.example", "https://o.example/pub"),
            (.owntracks, "https://o.example/pub?u=ann", "https://o.example/pub?u=ann"),
            (.overland, "https://r.example/api/v1/ingest/overland\nt", "https://r.example/api/v1/ingest/overland"),
        ])
    func endpoint(service: SharingService, text: String, expected: String) throws {
        let access = try ServiceAccess(text, of: service, allowsPlain: false)
        #expect(access.url == expected)
        #expect(try ServiceAccess(access.text, of: service, allowsPlain: false) == access)
    }

    @Test(
        "a missing, unexpected or impossible key is refused, and the message does not contain it",
        arguments: [
            (SharingService.homeassistant, "https://ha.example/api/webhook/a\nSECRET"), (.traccar, "https://t.example"),
            (.dawarich, "https://d.example\nSEC RET"), (.owntracks, "https://o.example/pub\nSECRET"),
            (.overland, "https://r.example/x\nSECRET\nSECRET"), (.traccar, "https://t.example/api\nSECRET"),
        ])
    func keys(service: SharingService, text: String) throws {
        let error = try #require(throws: InvalidServiceURL.self) {
            _ = try ServiceAccess(text, of: service, allowsPlain: false)
        }
        #expect(!"\(error)".contains("SEC"))
    }

    private static let answers: [(SharingService, Int, String, String)] = [
        (.traccar, 200, "", "stored"), (.traccar, 200, "queued command", "stored"), (.traccar, 200, "<html>", "again"),
        (.traccar, 404, "", "doubtful"), (.traccar, 400, "", "doubtful"), (.traccar, 401, "", "doubtful"),
        (.traccar, 403, "", "doubtful"), (.traccar, 405, "", "doubtful"), (.traccar, 503, "", "again"),
        (.dawarich, 200, #"{"data":[{"id":1}]}"#, "stored"), (.dawarich, 200, #"{"data":[]}"#, "again"),
        (.dawarich, 200, "[]", "again"), (.dawarich, 201, #"{"result":"ok"}"#, "again"),
        (.dawarich, 401, "", "doubtful"),
        (.dawarich, 402, "", "doubtful"), (.dawarich, 403, "", "doubtful"), (.dawarich, 429, "", "again"),
        (.dawarich, 422, "", "refused"), (.dawarich, 500, "", "unclear"),
        (.owntracks, 200, "[]", "stored"), (.owntracks, 200, #"{"_type":"encrypted","data":""}"#, "stored"),
        (.owntracks, 200, "", "again"), (.owntracks, 401, "", "doubtful"), (.owntracks, 404, "", "doubtful"),
        (.owntracks, 502, "", "again"),
        (.overland, 200, #"{"result":"ok"}"#, "stored"), (.overland, 201, #" {"result":"ok","x":1}"#, "stored"),
        (.overland, 200, #"{"result":"error"}"#, "again"), (.overland, 200, "", "again"),
        (.overland, 401, "", "doubtful"),
        (.overland, 302, "", "doubtful"), (.overland, 500, "", "unclear"), (.overland, 413, "", "refused"),
    ]

    @Test("an answer is interpreted by its status and its content", arguments: answers)
    func answer(service: SharingService, status: Int, body: String, expected: String) {
        let verdict = ShareAnswer.verdict(
            of: service, status: status, body: Array(body.utf8), origin: "https://tracks.example")
        #expect(verdict.name == expected)
    }
}
