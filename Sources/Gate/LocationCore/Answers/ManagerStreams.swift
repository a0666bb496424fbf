import LocationPolicy
import NIOCore
import Pacing

/// A part of a user's decisions, history or state, as managers show it, by its name in the interface.
package enum ManagedPart: String, Sendable, CaseIterable {
    /// The list of clients: decisions, access, connections.
    case clients
    /// The history of accesses.
    case accesses
    /// The list of the clients that are given locations now.
    case currentAccesses
    /// The open prompts.
    case prompts
    /// The rules, their effect, and the places.
    case rules
    /// The switches of location services.
    case services
}

/// The receiving end of a manager's stream of changes.
package protocol ManagementObserver: AnyObject {
    /// True if the peer reads.
    var isReady: Bool { get }
    /// Reports that these parts have changed.
    func send(changed: [ManagedPart])
    /// Ends the stream with an error.
    func end(_ refusal: Refusal)
}

/// A manager's stream of the parts that have changed of one user.
///
/// It never has the content: a manager that reads slowly costs a few bits. Confined to the event loop.
package final class ManagerStream {
    let userID: UInt32
    let connection: Connection
    let observer: any ManagementObserver
    /// The parts that it reports.
    fileprivate let parts: Set<ManagedPart>
    fileprivate var changed: Set<ManagedPart> = []

    fileprivate init(
        _ observer: any ManagementObserver, _ parts: Set<ManagedPart>, userID: UInt32, connection: Connection
    ) {
        (self.observer, self.parts, self.userID, self.connection) = (observer, parts, userID, connection)
    }

    /// Sends the parts that have changed since the last reply, if the peer reads.
    package func notify() {
        guard !changed.isEmpty, observer.isReady else { return }
        defer { changed = [] }
        observer.send(changed: ManagedPart.allCases.filter(changed.contains))
    }
}

/// The open streams of managers. Changes within a short time are sent together.
///
/// Confined to the event loop.
final class ManagerStreams {
    /// The time for which changes are collected.
    static let delay = TimeAmount.milliseconds(20)
    /// The number of streams of managers of one user.
    static let streamsPerUser = 16

    private let queue: CoreQueue
    private(set) var streams: [ObjectIdentifier: ManagerStream] = [:]
    private var timer: LoopTimer?

    init(queue: CoreQueue) { self.queue = queue }

    /// Opens a stream of these parts, whose first reply names all of them.
    func open(
        _ observer: any ManagementObserver, _ parts: Set<ManagedPart>, of userID: UInt32, _ connection: Connection
    ) throws(Refusal) -> ManagerStream {
        let count = streams.values.count { $0.connection.peer.userID == connection.peer.userID }
        guard count < Self.streamsPerUser else {
            throw .limitExceeded("ManagerStreamsPerUser", Self.streamsPerUser)
        }
        let stream = ManagerStream(observer, parts, userID: userID, connection: connection)
        streams[ObjectIdentifier(stream)] = stream
        stream.changed = parts
        stream.notify()
        return stream
    }

    /// Removes a closed stream.
    func close(_ stream: ManagerStream) { streams[ObjectIdentifier(stream)] = nil }

    /// Notes that a part of a user has changed, or with `nil` of every user.
    func note(_ part: ManagedPart, of userID: UInt32?) {
        for stream in streams.values
        where stream.parts.contains(part) && (userID == nil || stream.userID == userID) {
            stream.changed.insert(part)
            schedule()
        }
    }

    /// Cancels the timer.
    func shutdown() { timer?.cancel() }

    private func schedule() {
        guard timer == nil else { return }
        timer = queue.makeTimer(in: Self.delay) { [weak self] in
            guard let self else { return }
            timer = nil
            for stream in streams.values { stream.notify() }
        }
    }
}

extension Core {
    /// Opens a stream of what changes of a user, for a manager: of these parts.
    package func watchChanges(
        _ observer: any ManagementObserver, _ parts: Set<ManagedPart> = Set(ManagedPart.allCases), of userID: Int?,
        _ connection: Connection
    ) throws(Refusal) -> ManagerStream {
        try queue.answer { () throws(Refusal) in
            try managers.open(observer, parts, of: try managedUser(userID, connection), connection)
        }
    }

    /// Closes such a stream.
    package func close(_ stream: ManagerStream) { queue.take { [self] in managers.close(stream) } }

    /// Ends the streams of programs that are not agents any more since the configuration was reloaded.
    func endStreamsOfFormerManagers() {
        for stream in managers.streams.values where !isTrusted(stream.connection.peer) {
            managers.close(stream)
            stream.observer.end(.notAManager(message: notListed(stream.connection.peer)))
        }
    }
}
