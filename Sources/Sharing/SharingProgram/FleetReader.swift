import Glibc
package import FleetModel
package import HTTPTransfer
import LocationModel
package import LocationSharing
import MQTTPublishing
import Pacing

/// Reads the positions that vehicles have published at a broker.
///
/// Not `Sendable`: one thread uses it, which its methods block.
package final class FleetReader {
    private let connector: BrokerConnector
    private let timeout: Duration
    /// The greatest number of questions after which the broker has to have sent all.
    private static let questions = 50
    /// The time after which a silent broker is asked whether it is still there, in seconds.
    private static let keepAlive = 20

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
        connector = try BrokerConnector(
            access, clientID: name, authorities: authorities, certificate: certificate, keepAlive: Self.keepAlive)
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
        var fleet = fleet
        try subscribe(connection, isCancelled) { delivery in
            fleet.take(
                delivery.payload, topic: delivery.topic, isRetained: delivery.isRetained, expiry: delivery.expiry,
                at: .now())
        }
        return fleet
    }

    /// Subscribes to the vehicles, and waits until what the broker keeps of them has been delivered.
    private func subscribe(
        _ connection: MQTTConnection, _ isCancelled: () -> Bool, deliver: @escaping (MQTTDelivery) -> Void
    ) throws(MQTTFailure) {
        var kept = 0
        let reasons = try connection.subscribe(
            to: FleetTopic.filters, longest: FleetMessage.longest, until: .init(in: timeout), isCancelled: isCancelled
        ) { delivery in
            if delivery.isRetained { kept += 1 }
            deliver(delivery)
        }
        if let reason = reasons.first, reason >= 0x80 { throw .notReadable(reason) }
        for _ in 0..<Self.questions {
            let before = kept
            // A topic that is not subscribed to.
            try connection.finishRequests(
                before: "owntracks/end", until: .init(in: timeout), isCancelled: isCancelled)
            if kept == before { break }
        }
    }

    // MARK: Following

    /// Passes on the messages of vehicles until nobody reads the pipe: first those that the broker keeps, then each that arrives.
    ///
    /// A broker that is away, or that refuses, is tried again after a second, then after longer and longer, up to two minutes.
    package func follow(into pipe: FleetPipe, using generator: inout some RandomNumberGenerator) {
        var backOff = BackOff(from: .seconds(1), to: .seconds(120))
        while !pipe.isClosed {
            do throws(MQTTFailure) {
                try pass(to: pipe) { backOff.reset() }
            } catch {
                pipe.take(.interrupted(connector.words(about: error)))
                pipe.write()
                pipe.wait(backOff.next(random: .random(in: 0...1, using: &generator)))
            }
        }
    }

    private func pass(to pipe: FleetPipe, whenRead: () -> Void) throws(MQTTFailure) {
        let isCancelled = { pipe.isClosed }
        let connection = try connector.connect(timeout: timeout, isCancelled: isCancelled)
        defer { connection.close() }
        try subscribe(connection, isCancelled) { pipe.take($0.feed) }
        whenRead()
        pipe.take(.connected)
        while !pipe.isClosed { try connection.receive(within: pipe.writeIfDue()) }
    }
}

extension MQTTDelivery {
    fileprivate var feed: FleetFeed {
        .message(topic: topic, payload: payload, isRetained: isRetained, expiry: expiry)
    }
}

/// The reason why the positions at a broker could not be read.
package struct FleetFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence with the remedy.
    package let description: String

    init(_ description: String) { self.description = description }
}
