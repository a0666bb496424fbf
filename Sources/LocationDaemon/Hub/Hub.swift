import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import LocationUsage
import Logging
import NIOCore
import Varlink

/// Where locations meet those who may know them.
///
/// It lives on one event loop, together with the source and all connections: what the source reports is written to
/// every subscriber before anything else happens, and between a decision and its effect there is no moment in which a
/// location could slip through. That is also why nothing here is `async`: what takes time, the disk, answers by a
/// callback on the same loop.
actor Hub {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }
    nonisolated let logger: Logger
    nonisolated let identification: PeerIdentification

    /// Reads the configuration, given what is in force.
    let loadConfiguration: @Sendable (Configuration?) throws -> Configuration
    let decisions: DecisionKeeper
    var configuration: Configuration
    var registry: ClientRegistry
    var source: (any LocationSource)?
    var usage: (any UsageWatching)?
    /// Where clients connect.
    var server: VarlinkServer?
    /// Told when there is a location after there was none.
    var onFirstLocation: (() -> Void)?
    /// Makes the source that a configuration names, where the configuration decides that.
    var makeSource: ((DaemonConfiguration) -> any LocationSource)?

    // What the source reported.
    /// The newest location while the source has one; `nil` once it went stale.
    var current: Newest?
    /// Whether the source has been told that somebody needs locations: only then does it say when one goes stale.
    var isSourceNeeded = false
    /// Counts the locations that came.
    var publication: UInt64 = 0
    /// What became of them.
    var deliveries = DeliveryCounts()
    /// Why there is none, if the source has said so since the last one.
    var unavailability: UnavailableReason?

    // Who is there.
    var sessions: [Session.ID: Session] = [:]
    /// The most there were at once since memory was given back.
    var mostSessions = 0
    var memoryTimer: Scheduled<Void>?
    /// Of each user who is connected: how often, and what those connections have held.
    var connectedUsers: [UInt32: (connections: Int, account: ByteAccount)] = [:]
    /// One hold on each process that is connected, however many connections it has: each takes a descriptor.
    var processes: [WatchedProcess: (process: WatchedProcess, connections: Int)] = [:]
    var subscriptions: [ObjectIdentifier: Subscription] = [:]
    var subscriptionsPerUser: [UInt32: Int] = [:]
    /// The subscriptions for frames among them, and what they are shown.
    var following = Following()
    var requests: [ObjectIdentifier: LocationRequest] = [:]

    // Who may know.
    /// What was decided, as it is on disk.
    var records: [ClientKey: AuthorizationRecord]
    /// The users whose location services are off; `nil` stands for everybody's.
    var disabled: Set<UInt32?>
    var clients: [ClientKey: Client] = [:]
    /// The clients that sessions have turned out to be.
    var clientsBySession: [Session.ID: Client] = [:]
    /// What makes rough locations, by client: one for all its users, since it is always the same receiver. Not there
    /// before its secret has been read.
    var reductions: [String: AccuracyReduction] = [:]
    /// The processes of which it is known whether they are in use.
    var knownUse: Set<WatchedProcess> = []
    var useQuestions: [UseQuestion] = []
    /// The authorization requests that wait for an answer.
    var authorizationRequests: [ClientAuthorization.RequestID: AuthorizationRequest] = [:]
    var authorizationWatchers: [ObjectIdentifier: AuthorizationWatcher] = [:]
    var backgroundActivities: [ObjectIdentifier: BackgroundActivity] = [:]
    /// The processes whose activities are shown, by user.
    var shownProcesses: [UInt32: Set<WatchedProcess>] = [:]

    /// The programs that the log has told of.
    var toldOfUnseen: Set<UnseenExecutable> = []

    // Who asks the user.
    var agents: [Agent] = []
    var prompts: [Int: OpenPrompt] = [:]

    // Who had a location.
    /// The accesses that go on, by client.
    var accesses: [ClientKey: AccessSession] = [:]
    /// Accesses that have ended and are not on disk as they ended.
    var endedAccesses: [AccessSession] = []
    /// The clients whose accesses the disk does not know as they are.
    var unflushed: Set<ClientKey> = []
    var historyTimer: Scheduled<Void>?
    private var lastID: UInt64 = 0

    init(
        eventLoop: any EventLoop, logger: Logger, decisions: DecisionKeeper, kept: DecisionKeeper.Kept,
        loadConfiguration: @escaping @Sendable (Configuration?) throws -> Configuration
    ) throws {
        self.eventLoop = eventLoop
        self.logger = logger
        identification = PeerIdentification(eventLoop: eventLoop)
        self.decisions = decisions
        self.loadConfiguration = loadConfiguration
        records = kept.records
        disabled = kept.disabled
        configuration = try loadConfiguration(nil)
        registry = ClientRegistry(configuration.clients)
        identification.namedExecutables = configuration.namedExecutables
    }

    /// A number that nothing else of this daemon has.
    func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }
}

// MARK: Parts

extension Hub {
    /// Sets where locations come from and who watches whether clients are in use.
    ///
    /// - Parameter makeSource: makes the source that a changed configuration names; `nil` where it does not decide that.
    func attach(
        _ source: any LocationSource, _ usage: any UsageWatching,
        makeSource: (@Sendable (DaemonConfiguration) -> any LocationSource)? = nil
    ) {
        self.source = source
        self.usage = usage
        self.makeSource = makeSource
    }

    /// Sets what clients connect to, whose limits follow the configuration from then on.
    func attach(_ server: VarlinkServer) {
        self.server = server
        server.limits = ServerLimits(configuration.daemon.limits)
    }

    /// Ends the parts; whoever still waits is ended by the server.
    func shutdown() {
        server = nil
        historyTimer?.cancel()
        memoryTimer?.cancel()
        flushHistory()
        source?.shutdown()
        source = nil
        usage?.shutdown()
        usage = nil
    }
}

// MARK: Connections

extension Hub {
    /// Opens a session for a peer, or says why it may not have another.
    func open(_ peer: PeerIdentity, _ process: WatchedProcess) -> Result<Session, VarlinkError> {
        let limits = configuration.daemon.limits
        let limit = limits.connectionsPerUser
        var user = connectedUsers[peer.userID] ?? (0, ByteAccount(limit: limits.bytesPerUser))
        guard user.connections < limit else {
            return .failure(.locationd(LocationInterface.LimitExceeded(limit: "ConnectionsPerUser", value: limit)))
        }
        user.connections += 1
        connectedUsers[peer.userID] = user
        let session = Session(id: nextID(), hub: self, peer: peer, process: hold(process), account: user.account)
        sessions[session.id] = session
        mostSessions = max(mostSessions, sessions.count)
        return .success(session)
    }

    /// Whether nobody would miss the daemon: nobody is connected, and no rough location has to be remembered, since a
    /// daemon that is started anew would look at a further one (`AccuracyReduction`).
    func isDispensable(at instant: ContinuousClock.Instant) -> Bool {
        sessions.isEmpty && reductions.values.allSatisfy { $0.newest(at: instant) == nil }
    }

    /// Forgets a session. Its calls have been cancelled before.
    func close(_ session: Session) {
        sessions[session.id] = nil
        if let user = connectedUsers[session.peer.userID] {
            connectedUsers[session.peer.userID] = user.connections > 1 ? (user.connections - 1, user.account) : nil
        }
        release(session.process)
        giveBackMemoryLater()
        guard let client = clientsBySession.removeValue(forKey: session.id) else { return }
        client.remove(session)
        watchUse(of: client)
    }

    /// The hold on a process that its other connections have already, if there are any. While it has not exited, nothing
    /// else can have its id: so it is the same.
    private func hold(_ process: WatchedProcess) -> WatchedProcess {
        guard let known = processes[process], !known.process.hasExited else {
            processes[process] = (process, 1)
            return process
        }
        processes[process]?.connections += 1
        return known.process
    }

    private func release(_ process: WatchedProcess) {
        guard let known = processes[process], known.process === process else { return }
        processes[process] = known.connections > 1 ? (process, known.connections - 1) : nil
    }

    /// Checks a number that a caller sent.
    func check(_ value: Double?, _ name: String, _ isAllowed: (Double) -> Bool) throws(VarlinkError) {
        guard value.map(isAllowed) ?? true else { throw .invalidParameter(name) }
    }
}
