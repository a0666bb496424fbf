import LocationModel
import LocationPolicy
import NIOCore
import Pacing

/// A client that is given locations at this moment.
///
/// Confined to the event loop.
final class CurrentAccess {
    fileprivate(set) var client: Client
    /// The time of the first location.
    let start: Timestamp
    /// The accuracy of the last location; `nil` if it was only told of watched places.
    fileprivate(set) var accuracy: AccuracyAuthorization?
    /// The names of the front ends through which it was given them.
    fileprivate(set) var frontEnds: Set<String>
    /// The moment of the last location.
    fileprivate var last: NIODeadline
    /// Reviews it when it may have ended; `nil` while an open subscription continues it.
    fileprivate var timer: LoopTimer?
    /// True while a review is among the actions.
    fileprivate var isReviewDue = true

    fileprivate init(
        _ client: Client, accuracy: AccuracyAuthorization?, frontEnd: String, start: Timestamp, last: NIODeadline
    ) {
        (self.client, self.accuracy, frontEnds) = (client, accuracy, [frontEnd])
        (self.start, self.last) = (start, last)
    }
}

/// The clients that are given locations at this moment, for managers that show them.
///
/// An access begins with a location. It lasts while the client has a subscription open that may have the location, and there is
/// one; and otherwise for a short time after the last location. Nothing is counted between these events: while locations flow and
/// nothing else changes, managers are sent nothing.
///
/// Confined to the event loop.
final class CurrentAccesses {
    /// The time from the last location to the end of an access: longer than the usual interval between two requests of a program
    /// that polls, and shorter than the 2 s within which managers show the end.
    static let linger = TimeAmount.milliseconds(1500)

    private let queue: CoreQueue
    private let now: () -> Timestamp
    private var accesses: [ClientKey: CurrentAccess] = [:]
    /// Called when an access begins.
    var onBegin: (ClientKey) -> Void = { _ in }

    init(queue: CoreQueue, now: @escaping () -> Timestamp) { (self.queue, self.now) = (queue, now) }

    /// The clients with an access.
    var keys: some Sequence<ClientKey> { accesses.keys }

    /// The accesses to a user's location, by client.
    func accesses(of userID: UInt32) -> [CurrentAccess] {
        accesses.values.filter { $0.client.key.userID == userID }.sorted { $0.client.key.client < $1.client.key.client }
    }

    /// Notes that a client was given a location, or with `nil` told of a watched place.
    func note(_ client: Client, by frontEnd: FrontEndKind, accuracy: AccuracyAuthorization?) {
        guard let access = client.currentAccess else { return begin(client, frontEnd, accuracy) }
        access.last = queue.eventLoop.now
        // Compared first: this comes with each location.
        if let accuracy, access.accuracy != accuracy {
            access.accuracy = accuracy
            report(client)
        }
        if !access.frontEnds.contains(frontEnd.name) {
            access.frontEnds.insert(frontEnd.name)
            report(client)
        }
    }

    private func begin(_ client: Client, _ frontEnd: FrontEndKind, _ accuracy: AccuracyAuthorization?) {
        // A client that was discarded meanwhile is the same one to its user.
        if let access = accesses[client.key] {
            access.client = client
            client.currentAccess = access
            return note(client, by: frontEnd, accuracy: accuracy)
        }
        let access = CurrentAccess(
            client, accuracy: accuracy, frontEnd: frontEnd.name, start: now(), last: queue.eventLoop.now)
        accesses[client.key] = access
        client.currentAccess = access
        queue.append(.reviewCurrentAccess(access))
        report(client)
        onBegin(client.key)
    }

    /// Reviews the access of a client after a change that may end it, once the event is taken in.
    func reviewLater(_ client: Client) {
        // The timer reviews it as well.
        guard let access = client.currentAccess, access.timer == nil, !access.isReviewDue else { return }
        access.isReviewDue = true
        queue.append(.reviewCurrentAccess(access))
    }

    /// Reviews all accesses, because there is no location any more.
    func reviewAllLater() { for access in accesses.values { reviewLater(access.client) } }

    /// Ends an access if its time is over.
    ///
    /// - Parameter hasLocation: true while there is a location.
    func review(_ access: CurrentAccess, hasLocation: Bool) {
        let client = access.client
        access.isReviewDue = false
        access.timer?.cancel()
        access.timer = nil
        guard accesses[client.key] === access, !(hasLocation && client.mayReceiveBySubscription) else { return }
        let end = access.last + Self.linger
        guard end <= queue.eventLoop.now else {
            access.timer = queue.makeTimer(at: end) { [weak self, weak access] in
                guard let self, let access else { return }
                access.timer = nil
                queue.append(.reviewCurrentAccess(access))
            }
            return
        }
        accesses[client.key] = nil
        client.currentAccess = nil
        report(client)
    }

    /// Cancels timers.
    func shutdown() { for access in accesses.values { access.timer?.cancel() } }

    private func report(_ client: Client) {
        queue.append(.tellManagers(.currentAccesses, userID: client.key.userID))
    }
}

extension Client {
    /// True if it has a subscription open that may have the location now.
    fileprivate var mayReceiveBySubscription: Bool {
        connections.values.contains { connection in
            connection.subscriptions.values.contains { !$0.isForHeadings && $0.view.release != nil }
        }
    }
}

extension Core {
    /// The clients that are given a user's location now, for a manager.
    package func listCurrentAccesses(
        of userID: Int?, _ connection: Connection
    ) throws(Refusal) -> [CurrentAccessReport] {
        try queue.answer { () throws(Refusal) in
            let userID = try managedUser(userID, connection)
            return accesses.current.accesses(of: userID).map {
                CurrentAccessReport($0, isQuiet: quiet.contains($0.client.key))
            }
        }
    }
}

extension CurrentAccessReport {
    fileprivate init(_ access: CurrentAccess, isQuiet: Bool) {
        let (client, declaration) = (access.client.key.client, access.client.declaration)
        self.init(
            client: client, displayName: declaration.displayName, userID: access.client.key.userID,
            start: access.start, accuracy: access.accuracy, frontEnds: access.frontEnds.sorted(),
            recipients: declaration.recipients, application: access.client.application, isQuiet: isQuiet)
    }
}
