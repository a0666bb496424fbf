import Testing

@testable import WiFiPositioning

@Suite("A positioning server", .timeLimit(.minutes(10)))
struct GeolocateTests {
    static func server() throws -> ServerAddress { try ServerAddress("https://server.example/v1/geolocate?key=x") }

    @Test("is sent no names of networks, and not the address on the Internet")
    func body() throws {
        let selection = AccessPointSelection(
            [heard(name: "Secret"), heard("cc:40:d0:44:55:66", frequency: 5180, strength: 48, age: 5)],
            at: .seconds(1000))
        let request = try #require(GeolocateRequest(selection.points, of: Self.server(), version: "1.2"))
        #expect(
            request.body
                == #"{"considerIp":false,"fallbacks":{"ipf":false,"lacf":false},"wifiAccessPoints":["#
                + #"{"macAddress":"a4:2b:b0:11:22:33","signalStrength":-51,"frequency":2412,"age":3000},"#
                + #"{"macAddress":"cc:40:d0:44:55:66","signalStrength":-71,"frequency":5180,"age":5000}]}"#)
        #expect(request.headers == ["Content-Type: application/json", "User-Agent: locationd/1.2"])
    }

    @Test("is never sent one access point alone, or one that must not be sent")
    func refusedRequests() throws {
        let server = try Self.server()
        func point(_ address: String) throws -> AccessPoint {
            AccessPoint(
                address: try #require(HardwareAddress(address)), signalStrength: -50, frequency: 2412, age: 0)
        }
        let good = try point("a4:2b:b0:11:22:33")
        for bad in ["a4:2b:b0:11:22:33", "da:a1:19:00:00:03", "00:01:02:00:00:05", "00:00:5e:00:00:01"] {
            #expect(GeolocateRequest([good, try point(bad)], of: server, version: "1") == nil)
        }
        #expect(GeolocateRequest([good], of: server, version: "1") == nil)
        #expect(GeolocateRequest([], of: server, version: "1") == nil)
        let many = try (10..<31).map { try point("a4:2b:b0:11:22:\($0)") }
        #expect(GeolocateRequest(many, of: server, version: "1") == nil)
    }

    @Test("answers with a position, whose radius of 95 % becomes one of 68 %, of 30 m at least")
    func position() throws {
        let answer = try GeolocateAnswer.read(
            status: 200, body: Array(#"{"location":{"lat":52.52,"lng":13.405},"accuracy":100.0,"more":1}"#.utf8),
            retryAfter: nil, from: Self.server())
        #expect(answer == (52.52, 13.405, 100))
        func radius(_ accuracy: Double) -> Double? {
            NetworkPosition(latitude: 52.52, longitude: 13.405, accuracy: accuracy)?.horizontalAccuracy
        }
        #expect(radius(100) == 61.7)
        #expect(radius(10) == 30)
    }

    static let failures: [(Int, String, PositioningFailure.Reason)] = [
        (200, "<html>captive portal</html>", .notAPosition),
        (200, "", .notAPosition),
        (200, "[]", .notAPosition),
        (200, "{}", .notAPosition),
        (200, #"{"location":{"lat":52.52,"lng":13.405},"accuracy":42,"fallback":"ipf"}"#, .notAPosition),
        (200, #"{"location":{"lat":52.52,"lng":13.405},"accuracy":600000}"#, .notAPosition),
        (200, #"{"location":{"lat":52.52,"lng":13.405},"accuracy":0}"#, .notAPosition),
        (200, #"{"location":{"lat":52.52,"lng":13.405},"accuracy":-5}"#, .notAPosition),
        (200, #"{"location":{"lat":52.52,"lng":13.405}}"#, .notAPosition),
        (200, #"{"location":{"lat":91,"lng":13.405},"accuracy":42}"#, .notAPosition),
        (200, #"{"location":{"lat":1e999,"lng":13.405},"accuracy":42}"#, .notAPosition),
        (200, #"{"location":{"lat":"52","lng":13.405},"accuracy":42}"#, .notAPosition),
        (200, #"{"location":{"lat":1,"lat":2,"lng":13.405},"accuracy":42}"#, .notAPosition),
        (200, #"{"location":{"lat":0,"lng":0},"accuracy":42}"#, .notFound),
        (200, #"{"location":{"lat":0.0,"lng":-0.0},"accuracy":42}"#, .notFound),
        (404, #"{"error":{"code":404,"message":"Not found"}}"#, .notFound),
        (404, "<html>no such page</html>", .refused),
        (302, "", .redirected), (429, "", .busy), (403, "", .busy), (503, "", .busy), (400, "{}", .refused),
        (500, "", .refused), (204, "", .refused),
    ]

    @Test("answers with a failure in one sentence that names it", arguments: failures)
    func failure(status: Int, body: String, reason: PositioningFailure.Reason) throws {
        let server = try Self.server()
        let failure = try #require(throws: PositioningFailure.self) {
            _ = try GeolocateAnswer.read(status: status, body: Array(body.utf8), retryAfter: 60, from: server)
        }
        #expect(failure.reason == reason)
        #expect(failure.message.hasPrefix("server.example "))
        #expect(failure.retryAfter == 60)
    }

    static let urls: [(String, ServerAddress.Flaw?)] = [
        ("https://server.example", nil), ("https://server.example:8443/v1/geolocate?key=a%20b", nil),
        ("HTTPS://Server.Example/", nil), ("https://[2001:db8::1]:443/", nil),
        ("http://127.0.0.1:8080/v1", nil), ("http://localhost/v1", nil), ("http://[::1]:80", nil),
        ("http://server.example/v1", .insecure), ("http://127.0.0.1.example/", .insecure),
        ("http://10.0.0.1/", .insecure), ("file:///etc/passwd", .insecure), ("ftp://server.example", .insecure),
        ("server.example", .notAURL), ("https://", .notAURL), ("https:///v1", .notAURL), ("://x", .notAURL),
        ("https://user:password@server.example/", .notAURL), ("https://server.example:0/", .notAURL),
        ("https://server.example:99999/", .notAURL), ("https://server.example/ v1", .notAURL),
        ("https://server.example/\n", .notAURL), ("https://sérver.example/", .notAURL), ("", .notAURL),
        ("http://127.0.0.1\\@evil.example/", .notAURL), ("http://127.0.0.1#@evil.example/", .notAURL),
    ]

    @Test("is named by an https URL; plain http leads to this machine only", arguments: urls)
    func address(url: String, flaw: ServerAddress.Flaw?) {
        do throws(ServerAddress.Flaw) {
            _ = try ServerAddress(url)
            #expect(flaw == nil)
        } catch { #expect(error == flaw) }
    }

    @Test("is shown by its name, without parts that may be a key")
    func name() throws {
        #expect(try Self.server().description == "server.example")
        #expect(try ServerAddress("https://Server.Example:8443/x").name == "server.example:8443")
    }
}
