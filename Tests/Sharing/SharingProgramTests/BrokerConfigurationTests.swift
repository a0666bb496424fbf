import FoundationEssentials
import HTTPTransfer
import LocationModel
import LocationSharing
import TestSupport
import Testing

@testable import SharingProgram

@Suite("The configuration of Mosquitto that comes with the package", .timeLimit(.minutes(10)))
struct BrokerConfigurationTests {
    /// More than the 1,020 that a reader gets with Mosquitto's defaults.
    private static let vehicles = 1500

    private func session(
        _ broker: Broker, user: String?, device: String, certificate: ClientCertificate? = nil
    ) throws -> BrokerSession {
        var generator = SystemRandomNumberGenerator()
        var destination = try Destination(
            name: "depot", service: .mqtt, url: ServiceURL(broker.address, of: .mqtt, allowsPlain: false),
            user: "fleet", device: device, using: &generator)
        destination.authorities = Webhooks.authority
        destination.discoveryPrefix = HomeAssistantDiscovery.prefix
        destination.certificate = certificate
        return try BrokerSession(destination, broker.address + (user.map { "\n\($0):secret" } ?? ""))
    }

    /// What follows from a test and a position.
    private func words(_ session: BrokerSession) -> [String] {
        let record = ShareRecord(
            Location(coordinate: Coordinate(latitude: 47, longitude: 9.5), timestamp: .now()))
        return [ShareMessage.test(at: .now()), .positions([record])].map {
            session.send($0, MessageTerms(isNewest: true), .init()).words
        }
    }

    @Test("each vehicle publishes under its own name only, and a viewer sees all and publishes nothing")
    func rights() async throws {
        let broker = try await Broker(shippedFor: ["van7", "van8", "viewer"])
        for van in ["van7", "van8"] {
            #expect(words(try session(broker, user: van, device: van)) == ["stored", "stored"])
        }
        let viewer = try await broker.reader(of: "#", user: "viewer")
        var topics: Set<String> = []
        while topics.count < 6 { topics.insert(try #require(try await viewer.message().topic)) }
        #expect(
            topics
                == Set(
                    ["van7", "van8"].flatMap {
                        [
                            "owntracks/fleet/\($0)", "homeassistant/device_tracker/fleet/\($0)/config",
                            "homeassistant/device_tracker/fleet/\($0)/attributes",
                        ]
                    }))
        for (user, device) in [("van7", "van8"), ("viewer", "van8"), ("viewer", "viewer")] {
            for words in words(try session(broker, user: user, device: device)) {
                #expect(words.contains("does not let this user publish to owntracks/fleet/\(device)."))
            }
        }
        for words in words(try session(broker, user: "stranger", device: "van7")) {
            #expect(words.contains("does not accept the user and password"))
        }
    }

    @Test("a vehicle that subscribes to everything receives nothing of another one")
    func reading() async throws {
        // It may read what is sent last, so that there is something to wait for.
        let broker = try await Broker(
            shippedFor: ["van7", "van8", "last"], rights: "user van8\ntopic read owntracks/fleet/last\n")
        let reader = try await broker.reader(of: "#", user: "van8")
        for user in ["van7", "last"] {
            #expect(words(try session(broker, user: user, device: user)) == ["stored", "stored"])
        }
        #expect(try await reader.message().topic == "owntracks/fleet/last")
    }

    @Test("with certificates, a vehicle is the user that its certificate names")
    func certificates() async throws {
        let directory = try TemporaryDirectory()
        let van7 = try await Broker.certificate(for: "van7", in: directory)
        let van8 = try await Broker.certificate(for: "van8", in: directory)
        let stranger = try await Broker.certificate(for: "stranger", in: directory)
        let file = directory.path + "/clients.crt"
        try (String(contentsOfFile: van7.file, encoding: .utf8) + String(contentsOfFile: van8.file, encoding: .utf8))
            .write(toFile: file, atomically: true, encoding: .utf8)
        let broker = try await Broker(shippedFor: ["none"], certificates: file)
        for (van, certificate) in [("van7", van7), ("van8", van8)] {
            let session = try session(broker, user: nil, device: van, certificate: certificate)
            #expect(words(session) == ["stored", "stored"])
        }
        for words in words(try session(broker, user: nil, device: "van8", certificate: van7)) {
            #expect(words.contains("does not let this user publish to owntracks/fleet/van8."))
        }
        for certificate in [stranger, nil] {
            for words in words(try session(broker, user: nil, device: "van7", certificate: certificate)) {
                #expect(words.contains("accepts no TLS connection of this machine"))
            }
        }
    }

    @Test("a new reader receives the position of each of 1,500 vehicles")
    func queues() async throws {
        let broker = try await Broker(
            shippedFor: ["filler", "viewer"], rights: "user filler\ntopic write owntracks/fleet/#\n")
        try await broker.publish(Self.vehicles, to: "owntracks/fleet/v{}", user: "filler", retained: true)
        let viewer = try await broker.reader(user: "viewer")
        var topics: Set<String> = []
        while topics.count < Self.vehicles { topics.insert(try #require(try await viewer.message().topic)) }
    }
}
