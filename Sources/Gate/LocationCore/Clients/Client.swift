import LocationModel
import LocationPolicy
import Logging

/// One client of one user, with its connections, prompts and authorization.
///
/// Several parts of the core keep a state of their own here, so that all that is known of a client is found at once. Each state has
/// one writer, which is named above it, and is read by all.
///
/// Confined to the event loop.
final class Client {
    let key: ClientKey
    /// The user.
    let user: User

    // MARK: Written by ClientDirectory

    /// The current declaration.
    var declaration: ClientDeclaration
    /// Its open connections.
    var connections: [Connection.ID: Connection] = [:]

    // MARK: Written by Core

    /// The watchers of its authorization.
    var watchers: [ObjectIdentifier: AuthorizationWatcher] = [:]

    // MARK: Written by Authorizer

    /// The authorization state machine.
    var authorization: ClientAuthorization {
        didSet { evaluations = Evaluations(authorization) }
    }
    /// All evaluations of the current authorization, cached because they are needed for every delivery; only
    /// without rules.
    private var evaluations: Evaluations
    /// Its decisions that are being saved.
    var saving = PendingSaves()
    /// The client's requests to the user, and the prompt about them, which PromptDispatcher opens and closes.
    var asking = OpenQuestion()

    // MARK: Written by AccessLog

    /// The numbers of the last exact and the last reduced publication it was given: history counts each once, even if several
    /// subscriptions of the client got it.
    var notedPublications: [AccuracyAuthorization: UInt64] = [:]
    /// True while there is a current access of it.
    var hasAccess = false

    // MARK: Written by CurrentAccesses

    /// Its current access; `nil` while it is given no locations.
    var currentAccess: CurrentAccess?

    // MARK: Written by ConditionMonitor

    /// True while it has conditions or visits watched.
    var isWatching = false

    // MARK: Written by UseTracker

    /// The processes whose use is watched for it.
    private(set) var watched: [ObjectIdentifier: PeerProcess] = [:]
    /// The number of them that are in use.
    var watchedInUse = 0

    init(key: ClientKey, user: User, declaration: ClientDeclaration, authorization: ClientAuthorization) {
        self.key = key
        self.user = user
        self.declaration = declaration
        self.authorization = authorization
        evaluations = Evaluations(authorization)
    }

    /// The open prompt.
    var prompt: OpenPrompt? { asking.prompt }

    /// The reason why its open prompt is not shown; `nil` without a prompt, and once an agent has shown it.
    var causeOfHiddenPrompt: LocationCause? {
        prompt?.wasShown == false ? LocationCause(noAgentFor: declaration) : nil
    }

    /// True if a rule may limit it, or its decision ends. Then its access also depends on the moment and on the position, and is
    /// evaluated each time.
    var isEvaluatedEachTime: Bool { evaluations.areOfThisMomentOnly }

    /// True if a rule about a place may limit it.
    var isLimitedByPlaces: Bool { authorization.rules.contains(where: \.dependsOnPlace) }

    /// The manner in which a missing location is reported to it.
    var absence: AbsenceReport { evaluations.inUse.view.absence }

    /// The evaluation of its access through a connection at this moment.
    ///
    /// - Parameter position: the position of what is to be released; `nil` for that of the newest location.
    func evaluation(on connection: Connection, at position: Position? = nil) -> AccessEvaluation {
        evaluation(
            AccessCircumstances(isInUse: connection.process.isInUse, desktop: connection.desktopLimit), at: position)
    }

    /// The evaluation of its access in these circumstances, whose surroundings are those of this moment.
    func evaluation(_ circumstances: AccessCircumstances, at position: Position? = nil) -> AccessEvaluation {
        guard !isEvaluatedEachTime else {
            var circumstances = circumstances
            circumstances.surroundings = user.rules.surroundings(at: position)
            return authorization.evaluate(circumstances, at: user.rules.now)
        }
        guard circumstances.desktop == nil, circumstances.requestedAccuracy == .full else {
            return authorization.evaluate(circumstances)
        }
        return evaluation(isInUse: circumstances.isInUse, need: circumstances.need)
    }

    /// The evaluation of its access without further limits.
    @inline(__always)
    func evaluation(isInUse: Bool, need: ClientPolicy.Level = .whenInUse, at position: Position? = nil)
        -> AccessEvaluation
    {
        guard !isEvaluatedEachTime else {
            return evaluation(AccessCircumstances(isInUse: isInUse, need: need), at: position)
        }
        return switch (isInUse, need) {
        case (true, .whenInUse): evaluations.inUse
        case (false, .whenInUse): evaluations.notInUse
        case (true, .always): evaluations.inUseAlways
        case (false, .always): evaluations.notInUseAlways
        }
    }

    /// The pace of the deliveries to it, which all its connections share.
    var pace: DeliveryPace { user.rules.pace(of: key.client) }

    /// True if its accuracy may be reduced by its authorization or by a rule.
    var mayBeReduced: Bool {
        evaluation(isInUse: true).authorization.accuracy == .reduced
            || authorization.rules.contains { $0.limit.maximumAccuracy == .reduced }
    }

    /// Its authorization, as reported to it on one of its connections.
    func status(of connection: Connection) -> AuthorizationReport {
        let process = connection.process
        let now = evaluation(on: connection)
        return AuthorizationReport(
            client: key.client, authorization: now.authorization,
            cause: now.access == .undecided
                ? causeOfHiddenPrompt ?? LocationCause(now, of: declaration, in: process)
                : LocationCause(now, of: declaration, in: process))
    }

    /// Its authorization after a request for temporary full accuracy, which ends at once for a program that is not in use.
    func statusAfterTemporaryAccuracy(of connection: Connection) -> AuthorizationReport {
        let report = status(of: connection)
        guard let obstacle = connection.process.obstacle else { return report }
        var authorization = report.authorization
        if self.authorization.endsWithUse { authorization.accuracy = .reduced }
        return AuthorizationReport(
            client: report.client, authorization: authorization,
            cause: authorization.accuracy == .reduced
                ? LocationCause(fullAccuracyEndedBy: obstacle, declaration) : report.cause)
    }

    /// True if it can be discarded without loss: nothing is open, and its decisions are on disk.
    func isUnused(at instant: ContinuousClock.Instant) -> Bool {
        connections.isEmpty && watched.isEmpty && saving.isEmpty && asking.isEmpty && !hasAccess && !isWatching
            && authorization.isDiscardable(at: instant)
    }

    /// Adds a process whose use is watched for it. Returns true if it is new.
    func addWatched(_ process: PeerProcess) -> Bool {
        guard watched.updateValue(process, forKey: ObjectIdentifier(process)) == nil else { return false }
        process.watchingClients[ObjectIdentifier(self)] = self
        if process.isInUse { watchedInUse += 1 }
        return true
    }

    /// Removes such a process. Returns true if it was there.
    func removeWatched(_ process: PeerProcess) -> Bool {
        guard watched.removeValue(forKey: ObjectIdentifier(process)) != nil else { return false }
        process.watchingClients[ObjectIdentifier(self)] = nil
        if process.isInUse { watchedInUse -= 1 }
        return true
    }

    /// The installed application that it is, by the name of its desktop file; `nil` if none is known.
    var application: String? {
        connections.values.lazy.compactMap(\.peer.application).first ?? declaration.application
    }

    /// Client and user as text for the log.
    var summary: String { "\(key.client) of user \(key.userID)" }

    /// The log fields of the client.
    var metadata: Logger.Metadata { JournalMessage.metadata(client: key.client, user: key.userID) }

    private struct Evaluations {
        /// True if they may differ at another moment or place.
        let areOfThisMomentOnly: Bool
        let inUse, notInUse, inUseAlways, notInUseAlways: AccessEvaluation

        init(_ authorization: ClientAuthorization) {
            areOfThisMomentOnly = !authorization.rules.isEmpty || authorization.record.ending != nil
            inUse = authorization.evaluate(.init(isInUse: true))
            notInUse = authorization.evaluate(.init(isInUse: false))
            inUseAlways = authorization.evaluate(.init(isInUse: true, need: .always))
            notInUseAlways = authorization.evaluate(.init(isInUse: false, need: .always))
        }
    }
}

/// The decisions about a client that are being saved, and what waits for that.
struct PendingSaves {
    private var count = 0
    /// The number of denials, which take effect before they are saved. An earlier decision whose save ends after one of
    /// them must not undo it.
    private var denials = 0
    private var postponed: [() -> Void] = []

    /// True if nothing is being saved.
    var isEmpty: Bool { count == 0 }
    /// The number of actions that wait until everything is saved.
    var postponedCount: Int { postponed.count }

    /// Notes a denial, which takes effect at once.
    mutating func deny() { denials += 1 }

    /// Begins to save a decision. Pass the result to ``end(_:)``.
    mutating func begin() -> Int {
        count += 1
        return denials
    }

    /// Ends the save of a decision. Returns false if a denial has come since it began.
    mutating func end(_ begun: Int) -> Bool {
        count -= 1
        return denials == begun
    }

    /// Makes an action wait until everything is saved.
    mutating func postpone(_ action: @escaping () -> Void) { postponed.append(action) }

    /// Removes the waiting actions. Those for which another save is too early wait again.
    mutating func takePostponed() -> [() -> Void] {
        defer { postponed = [] }
        return postponed
    }
}

/// A client's requests to the user: those that wait, and the prompt about them.
struct OpenQuestion {
    /// The origin of the latest request, which the next prompt describes.
    var requester: Requester?
    /// The open prompt.
    private(set) var prompt: OpenPrompt?
    /// The number of waiting requests for authorization.
    var requests = 0
    /// True if the last prompt was passed to an agent.
    private(set) var lastPromptWasShown = false

    /// True if neither a prompt is open nor a request waits.
    var isEmpty: Bool { prompt == nil && requests == 0 }

    /// Notes the prompt that was opened.
    mutating func open(_ prompt: OpenPrompt) { self.prompt = prompt }

    /// Removes the open prompt.
    mutating func close() -> OpenPrompt? {
        guard let prompt else { return nil }
        self.prompt = nil
        // For the error message: true if an agent was there to show it.
        lastPromptWasShown = prompt.wasShown
        return prompt
    }
}

/// The origin of a request for authorization.
struct Requester {
    let peer: PeerIdentity
    /// The stand-in for its declaration, with its claims; `nil` for a peer that must be declared.
    let undeclared: ClientDeclaration?

    init(_ connection: Connection) { (peer, undeclared) = (connection.peer, connection.undeclared) }
}

/// A stream of a client's own authorization.
///
/// Confined to the event loop.
package final class AuthorizationWatcher {
    let connection: Connection
    let client: Client
    private let observer: any AuthorizationObserver
    private var lastSent: AuthorizationReport?

    init(_ observer: any AuthorizationObserver, connection: Connection, client: Client) {
        self.observer = observer
        self.connection = connection
        self.client = client
    }

    /// Sends the authorization, if it has changed and the peer reads.
    package func notify() {
        let now = client.status(of: connection)
        guard now != lastSent, observer.isReady else { return }
        lastSent = now
        observer.send(now)
    }

    /// Ends the stream with an error.
    func end(_ refusal: Refusal) { observer.end(refusal) }
}

extension ClientDeclaration {
    /// The installed application that it names; `nil` if it names none.
    var application: String? { match.desktopID ?? match.flatpakID }
}
