import LocationModel
import LocationPolicy
import LocationUsage

/// One client of one user, as the hub keeps it while the daemon runs.
///
/// Sendable: it lives on the hub's event loop, which every way to it checks.
final class Client: @unchecked Sendable {
    let key: ClientKey
    /// What declares it now.
    var declaration: ClientDeclaration
    /// Its open connections.
    private(set) var sessions: [Session.ID: Session] = [:]
    /// How many of them each of its processes has.
    private var connections: [WatchedProcess: Int] = [:]
    /// Whether it may know.
    var authorization: ClientAuthorization
    /// The last publication that it was given, which the history counts once however many subscriptions it has.
    var notedPublication: UInt64?
    /// The processes whose use is watched for it.
    var watched: Set<WatchedProcess> = []

    /// Whether a decision about it is on its way to the disk. Meanwhile nothing else changes its authorization.
    var isSaving = false
    /// What happened meanwhile.
    var postponed: [() -> Void] = []
    /// Who asked last, for the prompt that follows.
    var asking: PeerIdentity?
    /// The open prompt, if there is one.
    var prompt: OpenPrompt?
    /// Whether an agent had the prompt that was open last.
    var lastPromptWasShown = false

    init(key: ClientKey, declaration: ClientDeclaration, authorization: ClientAuthorization) {
        self.key = key
        self.declaration = declaration
        self.authorization = authorization
    }

    /// The processes that are connected.
    var processes: some Collection<WatchedProcess> { connections.keys }

    /// Counts a connection in.
    func add(_ session: Session) {
        guard sessions.updateValue(session, forKey: session.id) == nil else { return }
        connections[session.process, default: 0] += 1
    }

    /// Counts a connection out.
    func remove(_ session: Session) {
        guard sessions.removeValue(forKey: session.id) != nil else { return }
        let left = connections[session.process, default: 1] - 1
        connections[session.process] = left > 0 ? left : nil
    }
}
