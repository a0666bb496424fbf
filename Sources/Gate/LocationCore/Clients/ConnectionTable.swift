import LinuxPlumbing
import LocationPolicy
import NIOCore
import Pacing

/// The open connections with their processes and users.
///
/// Confined to the event loop.
final class ConnectionTable {
    private(set) var connections: [Connection.ID: Connection] = [:]
    private(set) var users: [UInt32: User] = [:]
    private var processes: [WatchedProcess: PeerProcess] = [:]
    private let memory: HeapTrimmer
    private let eventLoop: any EventLoop
    /// Returns the file that the process with this id runs. Only tests replace it.
    var findProgram: (Int32) -> FileIdentity? = { FileIdentity(runBy: $0) }

    private let desktops: DesktopSettings
    private let rules: RuleDirectory
    private var lastID: Connection.ID = 0

    init(eventLoop: any EventLoop, desktops: DesktopSettings, rules: RuleDirectory) {
        self.desktops = desktops
        self.rules = rules
        self.eventLoop = eventLoop
        memory = HeapTrimmer(eventLoop: eventLoop)
    }

    var count: Int { connections.count }

    /// The user with this id, created on first use.
    func user(_ id: UInt32) -> User {
        if let known = users[id] { return known }
        let user = User(id: id, desktopLimit: desktops[id], rules: rules.rules(of: id))
        users[id] = user
        return user
    }

    /// Discards a user without any state.
    func discardIfUnused(_ user: User) {
        if user.isUnused, users[user.id] === user { users[user.id] = nil }
    }

    /// Counts a connection of a user through a front end until it is released, unless the user has reached the limit. Each front
    /// end is counted by itself: who takes all connections of one leaves those of the others.
    ///
    /// - Parameters:
    ///   - all: the largest number through all front ends.
    ///   - share: the number of connections beyond both limits that may be reserved, for peers that have to be identified first.
    func reserve(
        for userID: UInt32, through frontEnd: FrontEndKind, limit: Int, all: Int = .max, share: Int = 0
    ) throws(Refusal) {
        let user = user(userID)
        guard user.connections[frontEnd, default: 0] - share < limit, user.connectionCount - share < all else {
            defer { discardIfUnused(user) }
            throw refusal(of: user, through: frontEnd, limit: limit)
        }
        user.connections[frontEnd, default: 0] += 1
    }

    /// The refusal of a further connection of a user, with the process that has most of them, if it has a quarter. It is looked for
    /// once a second at most: a program that is refused over and over costs no more than others.
    func refusal(of user: User, through frontEnd: FrontEndKind, limit: Int) -> Refusal {
        guard user.holderSearches.allows(at: eventLoop.now) else {
            return .tooManyConnections(limit, message: user.lastHolder)
        }
        var counts: [ObjectIdentifier: (count: Int, peer: PeerIdentity)] = [:]
        for connection in connections.values where connection.user === user && connection.frontEnd == frontEnd {
            counts[ObjectIdentifier(connection.process), default: (0, connection.peer)].count += 1
        }
        let most = counts.values.max { $0.count < $1.count }
        user.lastHolder = most.flatMap { most in
            guard most.count > limit / 4 else { return nil }
            let name = most.peer.executable?.split(separator: "/").last.map(String.init) ?? "a program"
            return "The location service takes no more connections of user \(user.id): \(name) (process "
                + "\(most.peer.processID)) has \(most.count) of \(limit). If it should not, run: kill \(most.peer.processID)"
        }
        return .tooManyConnections(limit, message: user.lastHolder)
    }

    /// Ends the count of a connection.
    func release(of userID: UInt32, through frontEnd: FrontEndKind) {
        guard let user = users[userID], let count = user.connections[frontEnd] else { return }
        user.connections[frontEnd] = count > 1 ? count - 1 : nil
        discardIfUnused(user)
    }

    /// Opens a connection for a peer.
    ///
    /// - Parameter limit: the largest number of connections of its user; `nil` if the connection is reserved already.
    func open(
        _ peer: PeerIdentity, _ process: WatchedProcess, frontEnd: FrontEndKind, undeclared: ClientDeclaration?,
        limit: Int?
    ) throws(Refusal) -> Connection {
        if let limit { try reserve(for: peer.userID, through: frontEnd, limit: limit) }
        let user = user(peer.userID)
        lastID += 1
        let id = lastID
        let connection = Connection(
            id: id, frontEnd: frontEnd, peer: peer, undeclared: undeclared, process: hold(process), user: user,
            isReserved: limit == nil)
        connection.process.connections[id] = connection
        connections[id] = connection
        memory.note(connections.count)
        return connection
    }

    /// Removes a connection, on which nothing may be open any more.
    func close(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        if !connection.isReserved { release(of: connection.user.id, through: connection.frontEnd) }
        connection.process.connections[connection.id] = nil
        releaseIfUnused(connection.process)
        memory.scheduleIfDue(connections.count)
    }

    /// Releases a process that is neither connected nor watched.
    func releaseIfUnused(_ process: PeerProcess) {
        guard process.connections.isEmpty, process.watchCount == 0, processes[process.process] === process else {
            return
        }
        processes[process.process] = nil
    }

    /// Cancels timers.
    func shutdown() { memory.cancel() }

    /// The process, if it is connected or watched.
    func process(_ process: WatchedProcess) -> PeerProcess? { processes[process] }

    /// The shared object of a process, created on first use.
    func hold(_ process: WatchedProcess) -> PeerProcess {
        // Before Linux 6.9 a process that has exited and a running one can seem equal; they are different ones.
        if let known = processes[process], !known.process.hasExited || process.hasExited { return known }
        let new = PeerProcess(process, findProgram: findProgram)
        processes[process] = new
        return new
    }
}
