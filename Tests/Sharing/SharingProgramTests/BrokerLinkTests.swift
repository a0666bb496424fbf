import FoundationEssentials
import Glibc
import HTTPTransfer
import LocationModel
import LocationSharing
import TestSupport
import Testing

@testable import SharingProgram

/// A session of the user `van` with a broker.
private struct BrokerSite {
    let broker: Broker

    init(_ settings: String = "") async throws { broker = try await Broker(settings) }

    func session(
        _ address: String? = nil, key: String? = "van:secret", timeout: Duration = .seconds(20), isCheck: Bool = false,
        _ change: (inout Destination) -> Void = { _ in }
    ) throws -> BrokerSession {
        let address = address ?? broker.address
        var generator = SystemRandomNumberGenerator()
        var destination = try Destination(
            name: "depot", service: .mqtt, url: ServiceURL(address, of: .mqtt, allowsPlain: true), user: "fleet",
            device: "van", using: &generator)
        destination.authorities = Webhooks.authority
        change(&destination)
        return try BrokerSession(
            destination, ([address] + (key.map { [$0] } ?? [])).joined(separator: "\n"), timeout: timeout,
            isCheck: isCheck)
    }

    /// What follows from a test message.
    func words(
        _ address: String? = nil, key: String? = "van:secret", timeout: Duration = .seconds(20),
        _ change: (inout Destination) -> Void = { _ in }
    ) throws -> String {
        let session = try session(address, key: key, timeout: timeout, isCheck: true, change)
        defer { session.close() }
        return session.send(.test(at: .now()), MessageTerms(isNewest: false), .init()).words
    }
}

private func record(_ index: Int, at start: Timestamp = .now()) -> ShareRecord {
    var location = Location(
        coordinate: Coordinate(latitude: 47 + Double(index) / 1000, longitude: 9.5)!,
        timestamp: start.advanced(by: .seconds(Double(index))))
    (location.horizontalAccuracy, location.speed) = (4, 10)
    return ShareRecord(location)
}

@Suite("The connection to a broker", .timeLimit(.minutes(10)))
struct BrokerLinkTests {
    @Test("the newest position is retained until the share's end, kept ones are not, and the end clears it")
    func messages() async throws {
        let site = try await BrokerSite()
        let reader = try await site.broker.reader()
        let session = try site.session()
        let until = Timestamp.now().advanced(by: .seconds(3600))
        let cancellation = HTTPTransfer.Cancellation()
        #expect(
            session.send(.positions([record(9)]), MessageTerms(isNewest: true, until: until), cancellation)
                == .answered(.stored))
        #expect(
            session.send(
                .positions((0..<5).map { record($0) }), MessageTerms(isNewest: false, until: until), cancellation)
                == .answered(.stored))
        let newest = try await reader.message()
        #expect(newest.topic == "owntracks/fleet/van" && newest.retained == true)
        #expect(newest.content?.lat == 47.009 && newest.content?.vel == 36)
        #expect(newest.expiry.map { (3500...3600).contains($0) } == true)
        for index in 0..<5 {
            let message = try await reader.message()
            #expect(message.content?.lat == 47 + Double(index) / 1000)
            #expect(message.retained == false && message.expiry != nil)
        }
        let later = try await site.broker.reader()
        #expect(try await later.message().content?.lat == 47.009)
        #expect(session.send(.end(at: .now()), MessageTerms(isNewest: true), cancellation) == .answered(.stored))
        #expect(try await reader.message().payload == "")
        // The first one that a reader sees who comes after the end.
        let last = try await site.broker.reader()
        #expect(
            session.send(.positions([record(1)]), MessageTerms(isNewest: true), cancellation) == .answered(.stored))
        let next = try await last.message()
        #expect(next.content?.lat == 47.001 && next.expiry == nil)
    }

    @Test("a check leaves the connection of a share open")
    func beside() async throws {
        let site = try await BrokerSite()
        let session = try site.session()
        let terms = MessageTerms(isNewest: true)
        #expect(session.send(.positions([record(0)]), terms, .init()) == .answered(.stored))
        #expect(try site.words() == "stored")
        session.keepUp()
        #expect(session.descriptor != nil)
        // Another connection under the same name ends it.
        let other = try site.session()
        #expect(other.send(.positions([record(1)]), terms, .init()) == .answered(.stored))
        session.keepUp()
        #expect(session.descriptor == nil)
    }

    @Test("a position is not sent after the end of the share")
    func late() async throws {
        let site = try await BrokerSite()
        let session = try site.session()
        let terms = MessageTerms(isNewest: true, until: .now())
        #expect(session.send(.positions([record(0)]), terms, .init()) == .cancelled)
    }

    @Test("each refusal is a sentence with the remedy, and none contains the password")
    func refusals() async throws {
        let site = try await BrokerSite()
        let port = site.broker.port
        let expected: [(String, String)] = [
            (try site.words(), "stored"),
            (try site.words(site.broker.socket, key: nil), "stored"),
            (
                try site.words(key: "van:wrong"),
                "doubtful: mqtts://localhost:\(port) does not accept the user and password"
            ),
            (try site.words(key: nil), "doubtful: mqtts://localhost:\(port) does not accept the user and password"),
            (
                try site.words(key: "other:secret"),
                "doubtful: mqtts://localhost:\(port) does not let this user publish to owntracks/fleet/van."
            ),
            (try site.words { $0.authorities = nil }, "failed: The certificate of localhost:\(port) is not valid here"),
            (
                try site.words("mqtts://127.0.0.1:\(port)"),
                "failed: The certificate of 127.0.0.1:\(port) is not valid here"
            ),
            (
                try site.words { $0.authorities = "/none" },
                "doubtful: /none cannot be read: No such file or directory."
            ),
            (
                try site.words("mqtts://localhost:\(site.broker.plainPort)"),
                "failed: localhost:\(site.broker.plainPort) "
            ),
            (
                try site.words("mqtt://192.0.2.1:1883") { $0.allowsPlain = true },
                "doubtful: 192.0.2.1:1883 is not in a private network"
            ),
            (try site.words("mqtt://127.0.0.1:\(site.broker.plainPort)") { $0.allowsPlain = true }, "stored"),
            (
                try site.words(site.broker.directory.path + "/none", key: nil),
                "failed: \(site.broker.directory.path)/none cannot be reached: No such file or directory."
            ),
        ]
        for (words, beginning) in expected {
            #expect(words.hasPrefix(beginning))
            #expect(!words.contains("secret") && !words.contains("wrong"))
        }
        // All topics of the tracker are named.
        #expect(
            try site.words { $0.discoveryPrefix = HomeAssistantDiscovery.prefix }
                .hasSuffix("topic write homeassistant/device_tracker/fleet/van/+"))
        #expect(throws: InvalidServiceURL.self) { _ = try site.session("mqtt://127.0.0.1:1883") }
        try await site.broker.kill()
        #expect(
            try site.words()
                == "failed: localhost:\(port) cannot be reached: nobody answers there, or not as a broker does.")
        #expect(
            try site.words("mqtt://127.0.0.1:\(site.broker.plainPort)") { $0.allowsPlain = true }
                == "failed: 127.0.0.1:\(site.broker.plainPort) cannot be reached: Connection refused.")
    }

    private static let limits = [
        ("retain_available false", "doubtful: ", "retain_available true"), ("max_qos 0", "doubtful: ", "max_qos 1"),
        ("max_packet_size 100", "refused: ", "longer than the 100 bytes"),
    ]

    @Test("each limit of a broker that a position exceeds is named", arguments: limits)
    func limit(setting: String, beginning: String, remedy: String) async throws {
        let site = try await BrokerSite(setting)
        let session = try site.session()
        let words = session.send(.positions([record(0)]), MessageTerms(isNewest: true), .init()).words
        #expect(words.hasPrefix(beginning) && words.contains(remedy), "\(words)")
    }

    private static let limitsOfTest = [
        // A short position would pass.
        ("max_packet_size 250", "longer than the 250 bytes"), ("message_size_limit 200", "longer than"),
        ("retain_available false", "keeps no last position"), ("max_qos 0", "acknowledges no messages"),
    ]

    @Test(
        "a test message names the limits as well, also those that only a long position does not pass",
        arguments: limitsOfTest)
    func limitOfTest(setting: String, words: String) async throws {
        let site = try await BrokerSite(setting)
        #expect(try site.words().contains(words))
    }

    @Test("a machine with a certificate needs no password, and one without is refused")
    func certificate() async throws {
        let directory = try TemporaryDirectory()
        let certificate = try await Broker.certificate(for: "van", in: directory)
        let site = try await BrokerSite(
            "cafile \(certificate.file)\nrequire_certificate true\nuse_identity_as_username true\n")
        #expect(try site.words(key: nil) { $0.certificate = certificate } == "stored")
        #expect(try site.words().contains("If it requires a certificate, add it with --certificate FILE"))
    }

    @Test("Home Assistant is sent the tracker once for a connection and an end, and the newest position only")
    func discovery() async throws {
        let site = try await BrokerSite()
        let reader = try await site.broker.reader(of: "homeassistant/#")
        let session = try site.session(site.broker.socket, key: nil) {
            $0.discoveryPrefix = HomeAssistantDiscovery.prefix
        }
        func send(_ message: ShareMessage, _ terms: MessageTerms) {
            #expect(session.send(message, terms, .init()) == .answered(.stored))
        }
        let terms = MessageTerms(isNewest: true, until: Timestamp.now().advanced(by: .seconds(600)))
        let tracker = "homeassistant/device_tracker/fleet/van"
        let (configuration, attributes) = (tracker + "/config", tracker + "/attributes")
        send(.positions([record(0)]), terms)
        send(.positions([record(1), record(2)]), MessageTerms(isNewest: false, until: terms.until))
        send(.positions([record(3)]), terms)
        send(.positions([record(4)]), MessageTerms(isNewest: true))
        send(.end(at: .now()), terms)
        let expected: [(String, Double?)] = [
            (configuration, nil), (attributes, 47), (attributes, 47.003), (configuration, nil), (attributes, 47.004),
        ]
        for (topic, latitude) in expected {
            let message = try await reader.message()
            #expect(message.topic == topic && message.retained == true)
            #expect(message.content?.latitude == latitude)
        }
        for topic in [configuration, attributes] {
            let message = try await reader.message()
            #expect(message.topic == topic && message.payload == "")
        }
    }

    @Test("a silent broker is abandoned, and a cancelled message at once")
    func silent() async throws {
        let server = try SilentServer()
        let site = try await BrokerSite()
        let address = "mqtt://127.0.0.1:\(server.port)"
        #expect(
            try site.words(address, timeout: .milliseconds(300)) { $0.allowsPlain = true }.contains(
                "did not answer within 0.3 s"))
        let session = try site.session(address) { $0.allowsPlain = true }
        let cancellation = HTTPTransfer.Cancellation()
        cancellation.cancel()
        #expect(session.send(.test(at: .now()), MessageTerms(isNewest: false), cancellation) == .cancelled)
    }

    @Test("a broker that was killed gets the next message over a new connection")
    func restarted() async throws {
        let site = try await BrokerSite()
        let session = try site.session()
        let terms = MessageTerms(isNewest: true)
        #expect(session.send(.positions([record(0)]), terms, .init()) == .answered(.stored))
        try await site.broker.restart()
        #expect(session.send(.positions([record(1)]), terms, .init()) == .answered(.stored))
        #expect(try await site.broker.reader().message().content?.lat == 47.001)
    }
}

/// A port at which connections are accepted, and nothing is said.
private final class SilentServer {
    let port: Int
    private let descriptor: CInt

    init() throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        port = try Broker.bind(descriptor)
        try #require(listen(descriptor, 8) == 0)
    }

    deinit { close(descriptor) }
}
