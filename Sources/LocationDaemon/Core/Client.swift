import LocationInterface
import LocationModel
import LocationPolicy
import LocationUsage
import Logging

/// One client of one user, with all that is open for it.
///
/// Confined to the event loop.
final class Client {
    let key: ClientKey
    /// Whose it is.
    let user: User
    /// What declares it now.
    var declaration: ClientDeclaration
    /// Its open connections.
    private(set) var connections: [Connection.ID: Connection] = [:]
    /// Who hears of its authorization.
    var watchers: [ObjectIdentifier: AuthorizationWatcher] = [:]
    /// Whether it may know.
    var authorization: ClientAuthorization {
        didSet { evaluations = Evaluations(authorization) }
    }
    /// All evaluations of the authorization as it is now: looked up for every delivery.
    private var evaluations: Evaluations

    /// The number of the last publication that it was given, which the history counts once however many subscriptions it has.
    var notedPublication: UInt64?
    /// Whether the history has an access of it that goes on.
    var hasAccess = false

    /// The processes whose use is watched for it.
    private(set) var watched: [ObjectIdentifier: PeerProcess] = [:]
    /// How many of them are in use.
    var watchedInUse = 0

    /// How many decisions about it are on their way to the disk.
    var saves = 0
    /// Counts the decisions that took effect before they were saved, so that one that was saved later does not undo them.
    var denials = 0
    /// What happened meanwhile and has to wait.
    var postponed: [() -> Void] = []
    /// Who asked last, for the prompt that follows.
    var asking: PeerIdentity?
    /// The open prompt, if there is one.
    var prompt: OpenPrompt?
    /// How many requests for authorization wait.
    var openRequests = 0
    /// Whether an agent had the prompt that was open last.
    var lastPromptWasShown = false

    init(key: ClientKey, user: User, declaration: ClientDeclaration, authorization: ClientAuthorization) {
        self.key = key
        self.user = user
        self.declaration = declaration
        self.authorization = authorization
        evaluations = Evaluations(authorization)
    }

    /// Whether a decision about it is on its way to the disk.
    var isSaving: Bool { saves > 0 }

    /// The evaluation of its access at this moment.
    func evaluation(isInUse: Bool, need: ClientPolicy.Level = .whenInUse) -> AccessEvaluation {
        switch (isInUse, need) {
        case (true, .whenInUse): evaluations.inUse
        case (false, .whenInUse): evaluations.notInUse
        case (true, .always): evaluations.inUseAlways
        case (false, .always): evaluations.notInUseAlways
        }
    }

    /// What it may have, as it sees that itself on one of its connections.
    func status(of connection: Connection) -> AuthorizationInterface.Status {
        let process = connection.process
        let now = evaluation(isInUse: process.isInUse)
        return AuthorizationInterface.Status(
            client: key.client, status: now.authorization.status, accuracy: now.authorization.accuracy,
            cause: LocationInterface.Cause(now, of: declaration, in: process))
    }

    /// Whether nothing would be lost by forgetting it: what was decided about it is on disk.
    func isBlank(at instant: ContinuousClock.Instant) -> Bool {
        connections.isEmpty && watched.isEmpty && !isSaving && prompt == nil && openRequests == 0 && !hasAccess
            && authorization.isForgettable(at: instant)
    }

    /// Counts a connection in.
    func add(_ connection: Connection) { connections[connection.id] = connection }

    /// Counts a connection out.
    func remove(_ connection: Connection) { connections[connection.id] = nil }

    /// Counts a process in whose use is watched for it. Says whether it is new.
    func addWatched(_ process: PeerProcess) -> Bool {
        guard watched.updateValue(process, forKey: ObjectIdentifier(process)) == nil else { return false }
        process.watchingClients[ObjectIdentifier(self)] = self
        if process.isInUse { watchedInUse += 1 }
        return true
    }

    /// Counts such a process out. Says whether it was there.
    func removeWatched(_ process: PeerProcess) -> Bool {
        guard watched.removeValue(forKey: ObjectIdentifier(process)) != nil else { return false }
        process.watchingClients[ObjectIdentifier(self)] = nil
        if process.isInUse { watchedInUse -= 1 }
        return true
    }

    /// Who it is, for the log.
    var summary: String { "\(key.client) of user \(key.userID)" }

    /// The fields of a log line about it.
    var metadata: Logger.Metadata { JournalMessage.metadata(client: key.client, user: key.userID) }

    private struct Evaluations {
        let inUse, notInUse, inUseAlways, notInUseAlways: AccessEvaluation

        init(_ authorization: ClientAuthorization) {
            inUse = authorization.evaluate(isInUse: true)
            notInUse = authorization.evaluate(isInUse: false)
            inUseAlways = authorization.evaluate(isInUse: true, need: .always)
            notInUseAlways = authorization.evaluate(isInUse: false, need: .always)
        }
    }
}

/// One stream that tells a client its own authorization.
///
/// Confined to the event loop.
final class AuthorizationWatcher {
    let connection: Connection
    let client: Client
    private let observer: any AuthorizationObserver
    private var told: AuthorizationInterface.Status?

    init(_ observer: any AuthorizationObserver, connection: Connection, client: Client) {
        self.observer = observer
        self.connection = connection
        self.client = client
    }

    /// Tells the authorization, if it has not been told yet and the peer reads.
    func tell() {
        let now = client.status(of: connection)
        guard now != told, observer.isReady else { return }
        told = now
        observer.tell(now)
    }

    /// Ends it with the last word.
    func end(_ refusal: Refusal) { observer.end(refusal) }
}
