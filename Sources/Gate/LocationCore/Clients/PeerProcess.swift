import LocationUsage
import LinuxPlumbing
import Pacing
package import LocationPolicy

/// A process that is connected or whose use is watched. Its connections share one object.
///
/// Confined to the event loop.
final class PeerProcess {
    /// The reference that distinguishes it from a later process with the same id.
    let process: WatchedProcess
    /// Its open connections.
    var connections: [Connection.ID: Connection] = [:]
    /// The clients whose access depends on its use; almost always one.
    var watchingClients: [ObjectIdentifier: Client] = [:]
    /// The number of clients and queries that need its use to be watched.
    var watchCount = 0
    /// True if it may be an application that the message bus has started.
    var mayBeActivated = false
    /// True if it is in use; false while ``isUseKnown`` is false.
    var isInUse = false
    /// True once its use is known.
    var isUseKnown = false
    /// The file that it ran when it connected.
    private let program: FileIdentity?
    private let findProgram: (Int32) -> FileIdentity?
    /// The monitor that watches its use; `nil` while nothing depends on it.
    var monitor: (any UsageWatching)?

    /// The reason why it is not in use; `nil` while it is in use or its use is not known.
    var obstacle: UseObstacle? {
        isUseKnown && !isInUse ? monitor?.evidence(of: process)?.obstacle : nil
    }

    /// True if it runs another file than when it connected, by exec(2). Never blocks.
    var runsAnotherProgram: Bool {
        guard let program, let now = findProgram(process.processID), !process.hasExited else { return false }
        return now != program
    }

    /// - Parameter findProgram: returns the file that a process runs.
    init(_ process: WatchedProcess, findProgram: @escaping (Int32) -> FileIdentity?) {
        self.process = process
        self.findProgram = findProgram
        program = findProgram(process.processID)
    }
}

extension PeerProcess: Hashable {
    static func == (one: PeerProcess, other: PeerProcess) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A connection of a peer through any front end.
///
/// Confined to the event loop.
package final class Connection {
    /// Identifies the connection in this run of the daemon.
    typealias ID = UInt64

    let id: ID
    /// The front end that accepted it.
    let frontEnd: FrontEndKind
    /// The identity of the peer.
    package let peer: PeerIdentity
    /// The declaration to use if none matches; `nil` refuses such a peer.
    let undeclared: ClientDeclaration?
    let process: PeerProcess
    /// The user.
    let user: User
    /// True if its front end has reserved it, and releases it.
    let isReserved: Bool
    /// The limit that the user's desktop sets for programs that connect through this front end; `nil` for none.
    var desktopLimit: DesktopLimit? { frontEnd.isForApplications ? user.desktopLimit : nil }
    /// The client of the peer, once it was looked up.
    var client: Client?
    /// The open subscriptions and requests.
    var subscriptions: [ObjectIdentifier: Subscription] = [:]
    var requests: [ObjectIdentifier: LocationRequest] = [:]
    /// The open streams of conditions and visits.
    var watchStreams: [ObjectIdentifier: WatchStream] = [:]

    init(
        id: ID, frontEnd: FrontEndKind, peer: PeerIdentity, undeclared: ClientDeclaration?, process: PeerProcess,
        user: User, isReserved: Bool
    ) {
        self.isReserved = isReserved
        self.id = id
        self.frontEnd = frontEnd
        self.peer = peer
        self.undeclared = undeclared
        self.process = process
        self.user = user
    }
}

/// The state of one user. Everything that is limited or decided by user is counted here, so that its cost depends on
/// that user alone.
///
/// Confined to the event loop.
final class User {
    let id: UInt32
    /// The numbers of connections that are open or reserved, through each front end that has some.
    var connections: [FrontEndKind: Int] = [:]
    var connectionCount: Int { connections.values.reduce(0, +) }
    /// The searches for the program that holds most connections, for the error of those beyond the limit, and the last result.
    var holderSearches = RateLimit(rate: 1, burst: 1)
    var lastHolder: String?
    /// The number of open subscriptions.
    var subscriptions = 0
    /// The clients, by identifier.
    var clients: [String: Client] = [:]
    /// The open prompts, and the agents that show them.
    var promptAssignment = PromptAssignment()
    /// The prompts about programs that nobody has declared: any program can become another one of those, under a new name.
    var undeclaredPrompts = PromptBudget()
    /// The open background activities.
    var activities: [ObjectIdentifier: BackgroundActivity] = [:]
    /// The lists of clients that it has asked for.
    let lists = WorkQueue()
    /// The processes whose background activities are shown.
    var shownProcesses: Set<PeerProcess> = []

    /// The limit that its desktop sets; `nil` for none.
    var desktopLimit: DesktopLimit?

    /// Its rules and places.
    let rules: UserRules

    init(id: UInt32, desktopLimit: DesktopLimit?, rules: UserRules) {
        (self.id, self.desktopLimit, self.rules) = (id, desktopLimit, rules)
    }

    /// True if it can be discarded without loss.
    var isUnused: Bool {
        connections.isEmpty && clients.isEmpty && promptAssignment.isEmpty && activities.isEmpty
            && undeclaredPrompts.isFull(at: .now)
    }
}

extension Collection<Connection> {
    /// The limit of the desktop that applies to all of these connections; `nil` if there is none.
    var desktopLimit: DesktopLimit? {
        guard let first = first?.desktopLimit, allSatisfy({ $0.desktopLimit != nil }) else { return nil }
        return first
    }
}
