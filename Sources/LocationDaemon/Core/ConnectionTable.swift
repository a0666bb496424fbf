import LocationPolicy
import LocationUsage
import NIOCore

/// Who is connected: connections, their processes and their users.
///
/// Confined to the event loop.
final class ConnectionTable {
    private(set) var connections: [Connection.ID: Connection] = [:]
    private(set) var users: [UInt32: User] = [:]
    private var processes: [WatchedProcess: PeerProcess] = [:]
    private let memory: MemoryReturn

    init(eventLoop: any EventLoop) { memory = MemoryReturn(eventLoop: eventLoop) }

    var count: Int { connections.count }

    /// The user with this id, who is kept as long as something is known of them.
    func user(_ id: UInt32) -> User {
        if let known = users[id] { return known }
        let user = User(id: id)
        users[id] = user
        return user
    }

    /// Forgets a user of whom nothing is left.
    func forgetIfBlank(_ user: User) {
        if user.isBlank, users[user.id] === user { users[user.id] = nil }
    }

    /// Opens a connection for a peer, unless its user has as many as one may have.
    func open(
        _ peer: PeerIdentity, _ process: WatchedProcess, door: Door, undeclared: ClientDeclaration?,
        id: Connection.ID, limit: Int
    ) throws(Refusal) -> Connection {
        let user = user(peer.userID)
        guard user.connections < limit else { throw .limitExceeded("ConnectionsPerUser", limit) }
        user.connections += 1
        let connection = Connection(
            id: id, door: door, peer: peer, undeclared: undeclared, process: hold(process), user: user)
        connection.process.connections[id] = connection
        connections[id] = connection
        memory.note(connections.count)
        return connection
    }

    /// Forgets a connection on which nothing is open any more.
    func close(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        connection.user.connections -= 1
        connection.process.connections[connection.id] = nil
        releaseIfUnused(connection.process)
        memory.scheduleIfDue(connections.count)
    }

    /// Gives up the hold on a process that is neither connected nor watched.
    func releaseIfUnused(_ process: PeerProcess) {
        guard process.connections.isEmpty, process.watchCount == 0, processes[process.process] === process else {
            return
        }
        processes[process.process] = nil
    }

    /// Cancels what is scheduled.
    func shutdown() { memory.cancel() }

    /// The process with this hold, if it is connected or watched.
    func process(_ process: WatchedProcess) -> PeerProcess? { processes[process] }

    /// The one hold on a process. While it has not exited, nothing else can have its id: so it is the same.
    func hold(_ process: WatchedProcess) -> PeerProcess {
        if let known = processes[process], !known.process.hasExited { return known }
        let new = PeerProcess(process)
        processes[process] = new
        return new
    }
}
