import Glibc
import MQTTPublishing
import TestSupport
import Testing

@Suite("The end of a connection with messages that are not acknowledged", .timeLimit(.minutes(10)))
struct BrokerSessionEndTests {
    private static let count = 200

    /// What was delivered.
    private final class Inbox {
        var topics: [String] = []
    }

    private func connection(_ broker: Broker, _ inbox: Inbox) throws -> MQTTConnection {
        var settings = MQTTConnection.Settings(
            host: "127.0.0.1", port: broker.plainPort, usesTLS: false, clientID: "reader")
        settings.session = .init(expiry: 3600, receiveMaximum: 1000)
        let connection = try MQTTConnection(
            settings, until: .init(in: .seconds(20)), isCancelled: { false }, longest: 1000
        ) { inbox.topics.append($0.topic) }
        let reasons = try connection.subscribe(
            to: ["owntracks/#"], until: .init(in: .seconds(20)), isCancelled: { false })
        #expect(reasons == [1])
        return connection
    }

    @Test(
        "messages that a broker sent before it was killed are delivered, also when some were to be acknowledged meanwhile",
        arguments: [count, 1])
    func killed(receivedBefore: Int) async throws {
        let (broker, inbox) = (try await Broker(), Inbox())
        let connection = try connection(broker, inbox)
        // It sends them to the readers before it acknowledges the last to the publisher.
        try await broker.publish(Self.count, to: "owntracks/fleet/v{}")
        if receivedBefore < Self.count {
            try connection.receive(within: .seconds(20)) { inbox.topics.count >= receivedBefore }
        }
        try await broker.kill()
        try connection.acknowledge(until: .init(in: .seconds(20)))
        // It may not have been the last of them that was received before the end.
        while inbox.topics.count < Self.count { try connection.receive(within: .seconds(20)) { false } }
        #expect(Set(inbox.topics).count == Self.count)
        #expect(throws: MQTTFailure.closed(nil)) { try connection.receive(within: .seconds(20)) { false } }
    }
}
