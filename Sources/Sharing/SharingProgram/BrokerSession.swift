package import HTTPTransfer
import Glibc
import LocationModel
package import LocationSharing
import MQTTPublishing

/// The connection to a broker, made when there is something to send: builds messages and interprets the broker's answers.
///
/// Not `Sendable`: one thread uses it, which ``send(_:_:_:)`` blocks.
package final class BrokerSession {
    private let destination: Destination
    private let connector: BrokerConnector
    private let timeout: Duration
    private var connection: MQTTConnection? {
        didSet { if connection == nil { announced = nil } }
    }
    /// The terms with which the tracker was announced to Home Assistant over this connection; `nil` if it was not.
    private var announced: MessageTerms?

    /// A session with the text of the broker's address and of the key.
    ///
    /// - Parameters:
    ///   - timeout: the time for a connection, and then for a message.
    ///   - isCheck: true for a connection beside that of a share, which it leaves open.
    package init(
        _ destination: Destination, _ text: String, timeout: Duration = .seconds(30), isCheck: Bool = false
    ) throws(InvalidServiceURL) {
        let access = try ServiceAccess(text, of: destination.service, allowsPlain: destination.allowsPlain)
        (self.destination, self.timeout) = (destination, timeout)
        connector = try BrokerConnector(
            access, clientID: BrokerMessage.clientID(of: destination) + (isCheck ? "-check" : ""),
            authorities: destination.authorities, certificate: destination.certificate)
    }

    /// The socket of the connection; `nil` without one.
    var descriptor: CInt? { connection?.descriptor }

    /// Performs due work on the connection. One that has ended is made again with the next message.
    func keepUp() {
        do throws(MQTTFailure) {
            try connection?.keepUp()
        } catch {
            connection = nil
        }
    }

    /// Ends the connection.
    package func close() {
        connection?.close()
        connection = nil
    }

    /// Publishes a message, and waits until the broker has acknowledged it.
    package func send(
        _ message: ShareMessage, _ terms: MessageTerms, _ cancellation: HTTPTransfer.Cancellation
    ) -> ShareMachine.Outcome {
        // It may have ended while nothing was sent.
        keepUp()
        do throws(MQTTFailure) {
            let connection = try connected(cancellation)
            // The connection may have taken a while.
            guard !cancellation.isCancelled, let messages = messages(message, terms, at: .now()) else {
                return .cancelled
            }
            if case .test = message { try check(connection.limits) }
            let reasons = try connection.publish(messages, until: .init(in: timeout)) { cancellation.isCancelled }
            let acknowledgements = zip(messages, reasons).map { (topic: $0.topic, reason: $1) }
            let verdict = BrokerVerdict.messages(acknowledgements, origin: connector.origin)
            if case .positions = message, terms.isNewest { announced = verdict == .stored ? terms : nil }
            return .answered(verdict)
        } catch {
            // Another one begins without what this one may still have.
            connection = nil
            return connector.outcome(of: error)
        }
    }

    /// Refuses limits that a position would not pass.
    private func check(_ limits: MQTTLimits) throws(MQTTFailure) {
        guard limits.retains else { throw .retainsNothing }
        if let size = limits.packetSize, Int(size) < BrokerMessage.longest(to: destination) { throw .tooLarge(size) }
    }

    private func connected(_ cancellation: HTTPTransfer.Cancellation) throws(MQTTFailure) -> MQTTConnection {
        if let connection { return connection }
        let connection = try connector.connect(timeout: timeout) { cancellation.isCancelled }
        self.connection = connection
        return connection
    }

    /// The messages at the broker; `nil` after the end of the share.
    private func messages(_ message: ShareMessage, _ terms: MessageTerms, at now: Timestamp) -> [MQTTMessage]? {
        let topic = BrokerMessage.topic(of: destination)
        switch message {
        case .positions(let records):
            if let until = terms.until, until <= now { return nil }
            let expiry = terms.expiry(at: now)
            let positions = records.map { record in
                MQTTMessage(
                    topic: topic, payload: BrokerMessage.position(record), isRetained: terms.isNewest, expiry: expiry)
            }
            guard terms.isNewest, let record = records.last else { return positions }
            return positions + discovery(of: record, terms, expiry)
        case .end:
            // First the tracker, which is then without the attributes' topic.
            let topics = ["config", "attributes"].compactMap { HomeAssistantDiscovery.topic($0, of: destination) }
            return (topics + [topic]).map { MQTTMessage(topic: $0, payload: [], isRetained: true) }
        case .test(let time):
            // Nobody reads the second topic.
            let check = HomeAssistantDiscovery.topic("check", of: destination).map {
                MQTTMessage(topic: $0, payload: [])
            }
            return [MQTTMessage(topic: topic, payload: BrokerMessage.test(at: time))] + (check.map { [$0] } ?? [])
        }
    }

    /// The announcement for Home Assistant; `nil` without one.
    private func discovery(of record: ShareRecord, _ terms: MessageTerms, _ expiry: UInt32?) -> [MQTTMessage] {
        guard let configuration = HomeAssistantDiscovery.topic("config", of: destination),
            let attributes = HomeAssistantDiscovery.topic("attributes", of: destination)
        else { return [] }
        var messages: [MQTTMessage] = []
        // Again with another end of the share, and after the broker was away.
        if announced != terms {
            messages.append(
                MQTTMessage(
                    topic: configuration, payload: HomeAssistantDiscovery.configuration(of: destination),
                    isRetained: true, expiry: expiry))
        }
        messages.append(
            MQTTMessage(
                topic: attributes, payload: HomeAssistantDiscovery.attributes(record), isRetained: true, expiry: expiry)
        )
        return messages
    }
}
