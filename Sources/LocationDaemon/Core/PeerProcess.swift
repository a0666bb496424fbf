import LocationPolicy
import LocationUsage

/// One process that is connected, or that was allowed something until it exits: one hold on it, however many connections it
/// has.
///
/// Confined to the event loop.
final class PeerProcess {
    /// The hold, so that its id stays its own.
    let process: WatchedProcess
    /// Its open connections.
    var connections: [Connection.ID: Connection] = [:]
    /// Its clients whose access depends on its use. Almost always one.
    var watchingClients: [ObjectIdentifier: Client] = [:]
    /// How many want its use to be watched.
    var watchCount = 0
    /// Whether it may be an application that the message bus started, because it came by a door that is for such.
    var mayBeActivated = false
    /// Whether it is in use, as far as is known.
    var isInUse = false
    /// Whether that has been found out since it was watched.
    var isUseKnown = false

    init(_ process: WatchedProcess) { self.process = process }
}

/// A door, by its name.
struct Door: Hashable, Sendable {
    /// What people call it.
    let name: String
    /// Whether its protocol is one of applications with windows, which the message bus may have started.
    var isForApplications = false
}

/// One connection of one peer, through whatever door.
///
/// Confined to the event loop.
final class Connection {
    /// Names the connection while the daemon runs.
    typealias ID = UInt64

    let id: ID
    /// The door that it came by.
    let door: Door
    /// Who the peer is.
    let peer: PeerIdentity
    /// What stands in for a declaration if none matches; `nil` refuses such a peer.
    let undeclared: ClientDeclaration?
    let process: PeerProcess
    /// Whose it is.
    let user: User
    /// The client that the peer turned out to be, once it has been asked for.
    var client: Client?
    /// What is open on it.
    var subscriptions: [ObjectIdentifier: Subscription] = [:]
    var requests: [ObjectIdentifier: LocationRequest] = [:]

    init(
        id: ID, door: Door, peer: PeerIdentity, undeclared: ClientDeclaration?, process: PeerProcess, user: User
    ) {
        self.id = id
        self.door = door
        self.peer = peer
        self.undeclared = undeclared
        self.process = process
        self.user = user
    }
}

/// What one user has here: everything that is limited or decided per user is counted here, so that it costs what the user
/// has.
///
/// Confined to the event loop.
final class User {
    let id: UInt32
    /// How many connections are open.
    var connections = 0
    /// How many subscriptions are open.
    var subscriptions = 0
    /// The clients, by identifier.
    var clients: [String: Client] = [:]
    /// The open prompts, and the agents that show them.
    var board = PromptBoard()
    /// The open background activities.
    var activities: [ObjectIdentifier: BackgroundActivity] = [:]
    /// The processes whose background activities are shown.
    var shownProcesses: [ObjectIdentifier: PeerProcess] = [:]

    init(id: UInt32) { self.id = id }

    /// Whether nothing would be lost by forgetting it.
    var isBlank: Bool { connections == 0 && clients.isEmpty && board.isEmpty && activities.isEmpty }
}
