import Glibc
import HTTPTransfer
import LocationModel
import LocationSharing
import TestSupport
import Testing

@testable import SharingProgram

/// A link to a server of its own.
private struct Site {
    let server: Webhooks

    init(plain: Bool = false) async throws { server = try await Webhooks(plain: plain) }

    func outcome(
        _ mode: String, scheme: String = "https", host: String = "localhost", timeout: Duration = .seconds(20),
        cancellation: HTTPTransfer.Cancellation = .init(), _ change: (inout Destination) -> Void = { _ in }
    ) throws -> ShareMachine.Outcome {
        let text = "\(scheme)://\(host):\(server.port)/api/webhook/\(mode)"
        var generator = SystemRandomNumberGenerator()
        let url = try ServiceURL(text, of: .homeassistant, allowsPlain: true)
        var destination = try Destination(
            name: "home", service: .homeassistant, url: url, user: "ann", device: "van", using: &generator)
        destination.authorities = Webhooks.authority
        change(&destination)
        let link = try ShareLink(destination, text, timeout: timeout)
        return try #require(link.send(.test(at: .now()), cancellation))
    }
}

extension ShareMachine.Outcome {
    /// Its kind and its sentence.
    var words: String {
        switch self {
        case .answered(.stored): "stored"
        case .answered(.again(let problem, let seconds)): "again \(seconds.map { "after \($0)" } ?? ""): \(problem)"
        case .answered(.doubtful(let problem)): "doubtful: \(problem)"
        case .answered(.unclear(let problem)): "unclear: \(problem)"
        case .answered(.refused(let problem)): "refused: \(problem)"
        case .answered(.wrong(let problem)): "wrong: \(problem)"
        case .failed(let problem): "failed: \(problem)"
        case .cancelled: "cancelled"
        }
    }
}

@Suite("The connection to a service", .timeLimit(.minutes(10)))
struct ShareLinkTests {
    @Test("a message has the headers that Home Assistant reads, and no more than that")
    func request() async throws {
        let site = try await Site()
        #expect(try site.outcome("known") == .answered(.stored))
        let request = try await site.server.request()
        #expect(request.path == "/api/webhook/known")
        #expect(
            Set(request.headers.keys)
                == ["Host", "Accept", "Content-Type", "Content-Length", "User-Agent", "X-Limit-U", "X-Limit-D"])
        #expect(request.headers["X-Limit-U"] == "ann" && request.headers["X-Limit-D"] == "van")
        #expect(request.content._type == "lwt")
    }

    private static let answers = [
        ("unknown", "doubtful: Home Assistant at https://localhost:"), ("starting", "again : https://localhost:"),
        ("busy", "again after 120: https://localhost:"), ("page", "again : https://localhost:"),
        ("redirect", "doubtful: https://localhost:"), ("missing", "doubtful: https://localhost:"),
        ("huge", "failed: localhost:"), ("closed", "failed: localhost:"),
    ]

    @Test("each answer of a server is interpreted, and no sentence contains the secret", arguments: answers)
    func answer(mode: String, expected: String) async throws {
        let words = try await Site().outcome(mode).words
        #expect(words.hasPrefix(expected))
        #expect(!words.contains("/api/webhook/\(mode)") && !words.contains("secret"))
    }

    @Test("a redirection is not followed")
    func redirection() async throws {
        let site = try await Site()
        #expect(try site.outcome("redirect").words.contains("redirects to https://localhost. Add"))
        _ = try site.outcome("known")
        #expect(try await site.server.request().path == "/api/webhook/redirect")
        #expect(try await site.server.request().path == "/api/webhook/known")
    }

    @Test("a silent server is abandoned, and a cancelled message at once")
    func silent() async throws {
        let site = try await Site()
        #expect(try site.outcome("silent", timeout: .milliseconds(300)).words.contains("did not answer within 0.3 s"))
        let cancellation = HTTPTransfer.Cancellation()
        cancellation.cancel()
        #expect(try site.outcome("silent", cancellation: cancellation) == .cancelled)
    }

    @Test("nothing is sent to a server whose certificate is unknown or for another name")
    func certificates() async throws {
        let site = try await Site()
        #expect(try site.outcome("known") { $0.authorities = nil }.words.contains("add it with --ca FILE or --pin KEY"))
        #expect(try site.outcome("known", host: "127.0.0.1").words.contains("is not valid here"))
        _ = try site.outcome("missing")
        #expect(try await site.server.request().path == "/api/webhook/missing")
    }

    @Test("a pinned key admits its server whatever the certificate says, and no other")
    func pin() async throws {
        let site = try await Site()
        let outcome = try site.outcome("known", host: "127.0.0.1") {
            ($0.authorities, $0.pin) = (nil, Webhooks.pin)
        }
        #expect(outcome == .answered(.stored))
        let other = try site.outcome("known") {
            $0.pin = "sha256//AAAAzujzIAoX/GdhwIloSnoU9Tg+JkUshAOSJZEVwX4="
        }
        #expect(other.words.contains("is not the pinned one"))
    }

    @Test("plain HTTP goes to private addresses only, judged by the address")
    func plain() async throws {
        let site = try await Site(plain: true)
        #expect(try site.outcome("known", scheme: "http") { $0.allowsPlain = true } == .answered(.stored))
        #expect(throws: InvalidServiceURL.self) { _ = try site.outcome("known", scheme: "http") }
        let elsewhere = try site.outcome("known", scheme: "http", host: "192.0.2.1") { $0.allowsPlain = true }
        #expect(
            elsewhere.words.hasPrefix("doubtful: 192.0.2.1:") && elsewhere.words.contains("is not in a private network")
        )
    }

    private static let addresses: [(String, Bool)] = [
        ("127.0.0.1", true), ("10.1.2.3", true), ("172.16.0.1", true), ("172.31.255.255", true), ("172.32.0.1", false),
        ("192.168.1.1", true), ("192.169.1.1", false), ("169.254.1.1", true), ("8.8.8.8", false), ("100.64.0.1", false),
        ("::1", true), ("::", false), ("fe80::1", true), ("fec0::1", false), ("fd00::1", true), ("2001:db8::1", false),
        ("::ffff:10.0.0.1", true), ("::ffff:8.8.8.8", false),
    ]

    @Test("loopback, link-local, RFC 1918 and RFC 4193 addresses are private", arguments: addresses)
    func privateAddress(text: String, isPrivate: Bool) {
        var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
        #expect(inet_pton(bytes.count == 16 ? AF_INET6 : AF_INET, text, &bytes) == 1)
        #expect(PrivateAddress.contains(bytes) == isPrivate)
    }
}

@Suite("The connection to each service", .timeLimit(.minutes(10)))
struct ServiceLinkTests {
    private static let services: [(SharingService, String, String, String)] = [
        (.traccar, "", "van-0a1b", "unknown"), (.dawarich, "", "token", "unknown"),
        (.owntracks, "/pub", "ann:pass", "ann:wrong"), (.overland, "/api/v1/ingest/overland", "token", "unknown"),
    ]

    @Test("a position is stored with the right key, and a wrong key is named at the first answer", arguments: services)
    func keys(service: SharingService, path: String, right: String, wrong: String) async throws {
        let server = try await Webhooks()
        var location = Location(coordinate: Coordinate(latitude: 47.5, longitude: 9.25)!, timestamp: .now())
        let message = ShareMessage.positions([ShareRecord(location)])
        #expect(try Self.send(message, service, path, right, server) == .answered(.stored))
        let outcome = try #require(try Self.send(message, service, path, wrong, server))
        #expect(outcome.words.hasPrefix("doubtful: ") && !outcome.words.contains(wrong))
        (location.speed, location.course, location.altitude) = (3.5, 359.9, -2.5)
        #expect(
            try Self.send(.positions([ShareRecord(location)]), service, path, right, server) == .answered(.stored))
        #expect(try Self.send(.end(at: .now()), service, path, right, server) == nil)
        let tests = try [right, wrong].map { try Self.send(.test(at: .now()), service, path, $0, server) }
        if service == .traccar {
            #expect(tests == [nil, nil])
        } else {
            #expect(tests[0] == .answered(.stored) && tests[1]?.words.hasPrefix("doubtful: ") == true)
        }
    }

    @Test("a device that Traccar has disabled is named as a possible cause when it hangs up")
    func disabled() async throws {
        let server = try await Webhooks()
        let location = Location(coordinate: Coordinate(latitude: 47.5, longitude: 9.25)!, timestamp: .now())
        let outcome = try Self.send(.positions([ShareRecord(location)]), .traccar, "", "disabled", server)
        #expect(outcome?.words.contains("disabled or has expired") == true)
    }

    private static func send(
        _ message: ShareMessage, _ service: SharingService, _ path: String, _ key: String, _ server: Webhooks
    ) throws -> ShareMachine.Outcome? {
        let access = try ServiceAccess(
            "https://localhost:\(server.port)\(path)\n\(key)", of: service, allowsPlain: false)
        var generator = SystemRandomNumberGenerator()
        var destination = try Destination(
            name: "home", service: service, url: access.address, user: "ann", device: "van", using: &generator)
        destination.authorities = Webhooks.authority
        return try ShareLink(destination, access.text).send(message, HTTPTransfer.Cancellation())
    }
}
