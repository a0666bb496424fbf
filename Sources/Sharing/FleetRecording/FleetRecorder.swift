import FleetModel
import Glibc
import HTTPTransfer
import LocationModel
package import LocationSharing
import MQTTPublishing
import Pacing
import SharingProgram

/// Records the positions that vehicles publish at a broker.
///
/// The broker keeps a session for it: what arrives there while the recorder, the database or the network is away is recorded afterwards.
/// A message is acknowledged when its position is on the database's disk, so that none is lost at whatever moment the recorder is killed;
/// and one that is delivered again changes nothing.
///
/// Not `Sendable`: one thread uses it, which ``run(using:report:)`` blocks.
package final class FleetRecorder {
    /// What there is to say about the recording.
    package enum Event: Hashable, Sendable {
        /// The positions of the broker with this address are recorded.
        case started(String)
        /// Nothing is recorded, and is not lost: a sentence with the reason.
        case interrupted(String)
        /// Messages were left out: a sentence with the reason.
        case leftOut(String)
    }

    /// The seconds for which the broker keeps what arrives without a recorder: a week.
    private static let expiry: UInt32 = 604_800
    /// The number of messages that are stored at once.
    private static let batch = 5000
    /// The time between two removals of old positions.
    private static let maintenanceInterval = Duration.seconds(3600)
    private static let timeout = Duration.seconds(30)

    private let access: ServiceAccess
    private let authorities: String?
    private let certificate: ClientCertificate?
    private let database: String
    private let days: Int
    private var leftOut: [FleetMessageFlaw: Int] = [:]
    private var tooOld = 0
    private var lastInterruption: String?

    /// A recorder.
    ///
    /// - Parameters:
    ///   - access: the address of the broker, and the user and password.
    ///   - authorities: the file with the certificates of the authorities to trust; `nil` for the system's.
    ///   - certificate: the files with this machine's certificate and its key; `nil` for none.
    ///   - database: a connection string or URI, as libpq takes them.
    ///   - days: the number of whole days that are kept before today.
    package init(
        _ access: ServiceAccess, authorities: String?, certificate: ClientCertificate?, database: String,
        keeping days: Int
    ) {
        (self.access, self.authorities, self.certificate) = (access, authorities, certificate)
        (self.database, self.days) = (database, days)
    }

    /// Records until it fails for a reason that does not go away by itself.
    ///
    /// Otherwise it tries again after a second, then after longer and longer, up to a minute.
    package func run(
        using generator: inout some RandomNumberGenerator, report: (Event) -> Void
    ) throws -> Never {
        var backOff = BackOff(from: .seconds(1), to: .seconds(60))
        while true {
            let words: String
            do {
                try record { event in
                    if case .started = event {
                        backOff.reset()
                        lastInterruption = nil
                    }
                    report(event)
                }
            } catch let error as FleetDatabaseFailure where error.isTemporary {
                words = error.description
            } catch let error as Interruption {
                words = error.words
            }
            // Once, and not with each trial.
            if words != lastInterruption { report(.interrupted(words)) }
            lastInterruption = words
            let pause = backOff.next(random: .random(in: 0...1, using: &generator))
            usleep(useconds_t(pause / .microseconds(1)))
        }
    }

    private struct Interruption: Error { var words: String }

    private func record(_ report: (Event) -> Void) throws -> Never {
        let database = try FleetDatabase(database, creates: true)
        try database.becomeRecorder()
        let connector = try BrokerConnector(
            access, clientID: try database.clientID(), authorities: authorities, certificate: certificate,
            session: .init(expiry: Self.expiry, receiveMaximum: Self.batch))
        do {
            try receive(by: connector, into: database, report)
        } catch let error as MQTTFailure {
            throw Interruption(words: connector.words(about: error))
        }
    }

    private func receive(
        by connector: BrokerConnector, into database: FleetDatabase, _ report: (Event) -> Void
    ) throws -> Never {
        // What is not stored yet.
        var deliveries: [MQTTDelivery] = []
        let connection = try connector.connect(
            timeout: Self.timeout, isCancelled: { false }, longest: FleetMessage.longest
        ) { deliveries.append($0) }
        let reasons = try connection.subscribe(
            to: FleetTopic.filters, until: .init(in: Self.timeout), isCancelled: { false })
        if let reason = reasons.first, reason >= 0x80 { throw MQTTFailure.notReadable(reason) }
        report(.started(connector.origin))
        var lastMaintenance: ContinuousClock.Instant?
        while true {
            if lastMaintenance.map({ ContinuousClock.now - $0 >= Self.maintenanceInterval }) ?? true {
                try maintain(database, report)
                lastMaintenance = .now
            }
            // Nothing else writes on this connection, such as the question whether the broker is still there.
            if deliveries.isEmpty {
                try connection.receive(within: MQTTConnection.upkeepInterval) { deliveries.count >= Self.batch }
            }
            try store(deliveries, in: database)
            deliveries.removeAll(keepingCapacity: true)
            try connection.acknowledge(until: .init(in: Self.timeout))
        }
    }

    private func store(_ deliveries: [MQTTDelivery], in database: FleetDatabase) throws {
        let now = Timestamp.now()
        var positions: [RecordedPosition] = []
        var names: [String: String?] = [:]
        for delivery in deliveries {
            do throws(FleetMessageFlaw) {
                guard let topic = FleetTopic(delivery.topic) else { throw .foreignTopic }
                switch try FleetMessage(delivery.payload, of: topic, isRetained: delivery.isRetained, at: now) {
                case .position(let position): positions.append(.init(topic: topic.vehicle, position: position))
                case .name(let name): names[topic.vehicle] = .some(name)
                case .connectionLost, .ended, .other: break
                }
            } catch {
                leftOut[error, default: 0] += 1
            }
        }
        tooOld += try database.store(positions, names: names, from: Day(first: days, before: now), at: now).tooOld
    }

    private func maintain(_ database: FleetDatabase, _ report: (Event) -> Void) throws {
        let now = Timestamp.now()
        try database.maintain(from: Day(first: days, before: now), at: now)
        let sentences = FleetMessageFlaw.sentences(about: leftOut, "of vehicles for which there is no room")
        for sentence in sentences { report(.leftOut(sentence)) }
        if tooOld > 0 { report(.leftOut("Left out: \(tooOld) positions older than the \(days) days that are kept.")) }
        (leftOut, tooOld) = ([:], 0)
    }
}
