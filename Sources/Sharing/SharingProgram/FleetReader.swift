import Glibc
package import FleetModel
package import HTTPTransfer
import LocationModel
package import LocationSharing
import MQTTPublishing

/// Reads the positions that vehicles have published at a broker.
///
/// Not `Sendable`: one thread uses it, which its methods block.
package final class FleetReader {
    private let connector: BrokerConnector
    private let timeout: Duration
    /// The greatest number of questions after which the broker has to have sent all.
    private static let questions = 50

    /// A reader of a broker.
    ///
    /// - Parameters:
    ///   - access: the address, and the user and password.
    ///   - authorities: the file with the certificates of the authorities to trust; `nil` for the system's.
    ///   - certificate: the files with this machine's certificate and its key; `nil` for none.
    ///   - timeout: the time for the connection, and then for each answer.
    package init(
        _ access: ServiceAccess, authorities: String?, certificate: ClientCertificate?,
        timeout: Duration = .seconds(30), using generator: inout some RandomNumberGenerator
    ) throws(InvalidServiceURL) {
        // A name that no other reader has: the broker would end its connection.
        let name = "locationd-fleet-" + String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
        connector = try BrokerConnector(access, clientID: name, authorities: authorities, certificate: certificate)
        self.timeout = timeout
    }

    /// The address of the broker.
    package var origin: String { connector.origin }

    /// Takes the newest position of each vehicle that the broker keeps, and what arrives meanwhile.
    ///
    /// MQTT does not say when all retained messages have come. Mosquitto sends them before it answers the next request; other brokers send
    /// them in portions. So requests follow until one is answered without a retained message before its answer.
    package func read(
        into fleet: Fleet, _ cancellation: HTTPTransfer.Cancellation = .init()
    ) throws(FleetFailure) -> Fleet {
        do throws(MQTTFailure) {
            return try receive(fleet, cancellation)
        } catch {
            throw FleetFailure(connector.words(about: error))
        }
    }

    private func receive(_ fleet: Fleet, _ cancellation: HTTPTransfer.Cancellation) throws(MQTTFailure) -> Fleet {
        let isCancelled = { cancellation.isCancelled }
        let connection = try connector.connect(timeout: timeout, isCancelled: isCancelled)
        defer { connection.close() }
        let reception = FleetReception(fleet)
        let reasons = try connection.subscribe(
            to: FleetTopic.filters, longest: FleetMessage.longest, until: .init(in: timeout), isCancelled: isCancelled
        ) { reception.take($0) }
        if let reason = reasons.first, reason >= 0x80 { throw .notReadable(reason) }
        for _ in 0..<Self.questions {
            reception.hasRetained = false
            // A topic that is not subscribed to.
            try connection.finishRequests(
                before: "owntracks/end", until: .init(in: timeout), isCancelled: isCancelled)
            if !reception.hasRetained { break }
        }
        return reception.fleet
    }
}

/// The vehicles while messages arrive.
private final class FleetReception {
    var fleet: Fleet
    /// True if a retained message has arrived since this was false.
    var hasRetained = false

    init(_ fleet: Fleet) { self.fleet = fleet }

    func take(_ delivery: MQTTDelivery) {
        if delivery.isRetained { hasRetained = true }
        fleet.take(
            delivery.payload, topic: delivery.topic, isRetained: delivery.isRetained, expiry: delivery.expiry,
            at: .now())
    }
}

/// The reason why the positions at a broker could not be read.
package struct FleetFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence with the remedy.
    package let description: String

    init(_ description: String) { self.description = description }
}
