import LocationModel
import LocationPolicy
import NIOCore

/// The positions that recipients may have at this moment, and the record of those that they were given.
///
/// Confined to the event loop.
final class Disclosures {
    /// The interval of a rule from which the time of the last location is kept on disk, so that a restart of the service
    /// yields no further one.
    private static let intervalOnDisk = Duration.seconds(60)

    let gate: Gate
    let reduced: ReducedLocations
    private let accesses: AccessLog
    private let queue: CoreQueue
    /// The newest location and those before it that would still be current without it, the newest last.
    private var recent: [Publication] = []

    init(gate: Gate, reduced: ReducedLocations, accesses: AccessLog, queue: CoreQueue) {
        (self.gate, self.reduced, self.accesses, self.queue) = (gate, reduced, accesses, queue)
    }

    /// The clients that are given locations at this moment.
    var current: CurrentAccesses { accesses.current }

    /// Takes a new location.
    func receive(_ publication: Publication) {
        recent.removeAll { $0.currentUntil <= queue.eventLoop.now }
        recent.append(publication)
    }

    /// Forgets the locations before the newest.
    func forget() { recent = [] }

    /// The exact location that a recipient may have now, not counting what a rule with an interval repeats.
    func newestExact(for recipient: some Recipient) -> Disclosure? {
        if let newest = gate.newestLocation(), let exact = gate.pass(.location(newest), to: recipient) { return exact }
        // While a rule about a place withholds locations, the client sees what it would see of a receiver without a fix: the last
        // location that it may have, while that is current.
        guard recipient.absence == .uniform else { return nil }
        return recent.reversed().lazy.compactMap { [gate] in gate.pass(.location($0), to: recipient) }.first
    }

    /// The position that a recipient may have now, released by the gate.
    func newest(for recipient: some Recipient) -> Disclosure? {
        if let exact = newestExact(for: recipient) { return exact }
        // Likewise while a rule with an interval allows no other one.
        let client = recipient.client
        if let last = client.user.rules.lastLocation(of: client.key.client),
            let exact = gate.pass(.location(last), to: recipient)
        {
            return exact
        }
        // Repeated requests yield no further samples: the last reduced location is repeated until the next is due.
        return reduced.newest(for: client.key.client).flatMap { gate.pass(.reduced($0), to: recipient) }
    }

    /// The newest of the recent locations that a recipient may have, exact or reduced.
    func newestPermitted(for recipient: some Recipient) -> Publication? {
        recent.last { recipient.view(of: $0.position).release != nil }
    }

    /// The most accurate of the locations that are still current and that a recipient may have.
    func mostAccurate(for recipient: some Recipient) -> Disclosure? {
        let current = recent + (gate.newestLocation().map { [$0] } ?? [])
        let released = current.reversed().compactMap { location in
            gate.pass(.location(location), to: recipient).map {
                (location.location.horizontalAccuracy ?? .infinity, $0)
            }
        }
        return released.min { $0.0 < $1.0 }?.1
    }

    /// The exact location from which a reduced one may be made for a recipient now; `nil` if there is none.
    ///
    /// For a client from which a rule about a place may withhold locations it is the last one that the rule does not withhold, while
    /// that is current: as for a receiver that has had no fix since.
    func reducible(for recipient: some Recipient) -> Publication? {
        func mayBeReduced(_ publication: Publication) -> Bool {
            recipient.view(of: publication.position).release == .reduced
        }
        guard recipient.absence == .uniform else {
            return gate.newestLocation().flatMap { mayBeReduced($0) ? $0 : nil }
        }
        return recent.last { queue.eventLoop.now < $0.currentUntil && mayBeReduced($0) }
    }

    /// Records what a subscription was delivered. One whose peer keeps it is recorded in history when it is sent.
    func note(_ disclosure: Disclosure, to subscription: Subscription) {
        if subscription.sendsAtOnce {
            note(disclosure, to: subscription.client, by: subscription.connection)
        } else {
            pace(disclosure, to: subscription.client)
        }
    }

    /// Records what a client was given: in history, and for its pace.
    func note(_ disclosure: Disclosure, to client: Client, by connection: Connection) {
        pace(disclosure, to: client)
        log(disclosure, to: client, by: connection)
    }

    /// Records in history what a client was sent.
    func log(_ disclosure: Disclosure, to client: Client, by connection: Connection) {
        switch disclosure.content {
        case .location(let publication): accesses.note(client, by: connection, publication, accuracy: .full)
        // History counts fixes, not frames.
        case .frame(let frame):
            if let publication = frame.publication {
                accesses.note(client, by: connection, publication, accuracy: .full)
            }
        case .reduced(let publication): accesses.note(client, by: connection, publication, accuracy: .reduced)
        case .heading: break
        }
    }

    /// Records what a client was given if a rule with an interval may limit it.
    private func pace(_ disclosure: Disclosure, to client: Client) {
        guard client.authorization.mayBePaced,
            let number = disclosure.content.paceNumber
        else { return }
        let exact: Publication? = if case .location(let publication) = disclosure.content { publication } else { nil }
        guard client.user.rules.delivered(number, exact, to: client.key.client),
            let interval = client.evaluation(isInUse: true, at: disclosure.content.position).interval?.value,
            interval >= Self.intervalOnDisk
        else { return }
        queue.append(.savePacedRelease(client))
    }
}
