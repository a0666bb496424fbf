import LocationModel
import LocationPolicy
import Logging
import NIOCore

/// Runs clients' authorization state machines: passes events to them and performs their actions.
///
/// A decision is on disk before it is acknowledged, and further grants wait until then. Restrictions take effect at
/// once: a denial, disabled services, a lower policy, the end of use.
///
/// Confined to the event loop.
final class Authorizer {
    /// A request for authorization that waits for the user.
    private struct Request {
        let connection: Connection
        let client: Client
        /// Called once: with `nil` after the user's answer, otherwise with the reason for having none.
        let answer: (Refusal?) -> Void
    }

    private let directory: ClientDirectory
    let prompts: PromptDispatcher
    private let disk: DecisionStore
    private let logger: Logger
    private var requests: [ClientAuthorization.RequestID: Request] = [:]
    private var lastID: UInt64 = 0
    /// The time for which a prompt waits for an answer, in seconds.
    var promptTimeout: Int
    /// The number of kept decisions of each user about undeclared programs.
    var decisionsPerUser: Int
    private let queue: CoreQueue

    init(
        directory: ClientDirectory, prompts: PromptDispatcher, disk: DecisionStore, logger: Logger,
        promptTimeout: Int, decisionsPerUser: Int, queue: CoreQueue
    ) {
        self.queue = queue
        self.directory = directory
        self.prompts = prompts
        self.disk = disk
        self.logger = logger
        self.promptTimeout = promptTimeout
        self.decisionsPerUser = decisionsPerUser
    }

    /// Ends a prompt that nobody has answered in time.
    func endUnanswered(_ prompt: OpenPrompt) {
        whenSettled(prompt.client) { [self] in
            guard prompt.client.prompt === prompt else { return }
            apply(.unanswered, to: prompt.client)
        }
    }

    /// Asks the user to confirm a provisional *always*, because a location is due to a client in the background.
    func confirmAlways(_ client: Client, _ connection: Connection) {
        guard client.authorization.needsConfirmation, client.authorization.prompt == nil else { return }
        client.asking.requester = Requester(connection)
        apply(.backgroundDeliveryDue, to: client)
    }

    /// Ends permissions until a time or an earlier one. It is in force at once, whatever is being saved, and then saved.
    func endDecisions(at time: Timestamp) {
        for client in directory.ending(before: time) { self.end(client, at: time, now: time) }
    }

    /// Ends what a client was allowed until `end`.
    func end(_ client: Client, at end: Timestamp, now: Timestamp) {
        let origin = DecisionOrigin(userID: client.key.userID, manner: .end, timestamp: now)
        self.end(client, by: .decide(.end(at: end)), origin)
    }

    /// Takes a permission back by this event. It is in force at once, whatever is being saved, and then saved.
    func end(
        _ client: Client, by event: ClientAuthorization.Event, _ origin: DecisionOrigin,
        completion: @escaping (Unsaved?) -> Void = { _ in }
    ) {
        handle(event, of: client)
        apply(event, to: client, by: origin, completion: completion)
    }

    /// The number of waiting requests.
    var requestCount: Int { requests.count }

    /// Passes an event to a client's state machine, performs the actions, and then calls `completion`, with an error if
    /// a decision could not be saved.
    func apply(
        _ event: ClientAuthorization.Event, to client: Client, by origin: DecisionOrigin? = nil,
        completion: @escaping (Unsaved?) -> Void = { _ in }
    ) {
        guard client.saving.isEmpty || event.takesEffectAtOnce else {
            return whenSettled(client) { [self] in apply(event, to: client, by: origin, completion: completion) }
        }
        guard let origin,
            let record = client.authorization.recordToSave(by: event) ?? confirmed(of: client, event, origin)
        else {
            handle(event, of: client)
            return complete(completion)
        }
        // A denial that could not be saved is in force until the daemon exits.
        let isDenial = record.grant == .denied
        let prompt = client.prompt
        if isDenial {
            client.saving.deny()
            handle(event, of: client)
        }
        save(record, of: client, by: origin) { [self] isCurrent, error in
            if let error { return completion(Unsaved(reason: error, isInForce: isDenial && isCurrent)) }
            // An answer counts only for the prompt that was open when it was given.
            let counts = !isDenial && (client.prompt === prompt || !event.endsPrompt)
            if isCurrent { handle(counts ? event : nil, of: client, saved: record) }
            complete(completion)
        }
    }

    /// Acknowledges an event after those concerned have been notified.
    private func complete(_ completion: @escaping (Unsaved?) -> Void) { queue.take { completion(nil) } }

    /// The record to save although it is on disk: the same decision by command takes the place of the desktop's, which would
    /// be asked for again.
    private func confirmed(
        of client: Client, _ event: ClientAuthorization.Event, _ origin: DecisionOrigin
    ) -> AuthorizationRecord? {
        guard case .decide = event, origin.manner != .desktop, directory.isAnsweredByDesktop(client.key) else {
            return nil
        }
        return client.authorization.savedRecord
    }

    /// Calls `body` once no decision about a client is being saved.
    func whenSettled(_ client: Client, _ body: @escaping () -> Void) {
        guard !client.saving.isEmpty else { return body() }
        client.saving.postpone { [self] in whenSettled(client, body) }
    }

    /// Saves a record, then calls `body`: `isCurrent` is true if no denial has come meanwhile.
    private func save(
        _ record: AuthorizationRecord, of client: Client, by origin: DecisionOrigin,
        body: @escaping (_ isCurrent: Bool, _ error: (any Error)?) -> Void
    ) {
        let begun = client.saving.begin()
        queue.take(disk.save(record, for: client.key, origin: origin, limit: decisionsPerUser)) {
            [self] result in
            let isCurrent = client.saving.end(begun)
            switch result {
            case .success(let dropped):
                directory.note(record, of: client.key, by: origin)
                for other in dropped { forget(other, of: client.user) }
                let reason =
                    switch origin.manner {
                    case .end: "because what was allowed until now has ended"
                    case .unusedWhenInUse, .unusedProvisionalAlways, .unusedAlways:
                        "because it was not given a location for as many days as ResetUnusedAfter says"
                    case .prompt, .desktop, .command, .damage: "decided by user \(origin.userID)"
                    }
                logger.notice(
                    "\(client.summary): \(record.summary), \(reason).",
                    metadata: JournalMessage.decided.metadata(
                        client: client.key.client, user: client.key.userID, decision: record.summary))
                body(isCurrent, nil)
            case .failure(let error):
                logger.error(
                    "A decision about \(client.summary) could not be saved: \(error)", metadata: client.metadata)
                body(isCurrent, error)
            }
            for body in client.saving.takePostponed() { body() }
            directory.discardIfUnused(client)
        }
    }

    /// Takes back the decision about an undeclared program whose record was removed on disk to make room for newer ones.
    private func forget(_ identifier: String, of user: User) {
        directory.forget(ClientKey(userID: user.id, client: identifier))
        // A decision that is being saved, or could not be saved, stays in force.
        guard let client = user.clients[identifier], client.saving.isEmpty,
            client.authorization.record == client.authorization.savedRecord
        else { return }
        apply(.saved(AuthorizationRecord()), to: client)
        directory.discardIfUnused(client)
    }

    /// Applies the record of a client in a database that took the place of the open one. A denial that could not be saved
    /// stays in force.
    func adopt(_ client: Client) {
        whenSettled(client) { [self] in
            let record = directory.currentRecord(of: client.key)
            guard client.authorization.record.grant != .denied || record.grant == .denied else { return }
            apply(.saved(record), to: client)
        }
    }

    /// Passes an event, and then a record that is on disk, to the state machine of a client, and performs the actions.
    private func handle(_ event: ClientAuthorization.Event?, of client: Client, saved: AuthorizationRecord? = nil) {
        let wasAsked = client.authorization.prompt != nil
        let ending = client.authorization.record.ending
        // On a copy, so that the cached evaluations are discarded once.
        var next = client.authorization
        next.promptObstacle = prompts.obstacle(for: client)
        var actions: [ClientAuthorization.Action] = []
        for event in [event, saved.map { .saved($0) }].compactMap(\.self) { actions += next.handle(event, at: .now) }
        client.authorization = next
        if next.record.ending != ending { directory.endingChanged() }
        // Access is in force already; watchers are notified when the actions have been performed. A request that joins or
        // leaves an open prompt changes nobody's access, and there can be thousands of them.
        if event?.isRequest != true || wasAsked != (next.prompt != nil) {
            queue.append(.announceAuthorization(client))
        }
        // An answer or a timeout closes its prompt.
        if event?.endsPrompt == true { prompts.close(client) }
        for action in actions { perform(action, of: client) }
    }

    private func perform(_ action: ClientAuthorization.Action, of client: Client) {
        switch action {
        case .show(let prompt):
            lastID += 1
            prompts.open(
                prompt, id: Int(truncatingIfNeeded: lastID), for: client, timeout: .seconds(Int64(promptTimeout)))
        case .withdrawPrompt: prompts.close(client)
        case .complete(let id): finish(id, nil)
        case .fail(let id, let failure): finish(id, .failure(failure, client, promptTimeout: promptTimeout))
        }
    }

    // MARK: Requests

    /// Asks the user about a client. Returns the request's id while it waits.
    func ask(
        _ request: ClientAuthorization.Request, _ client: Client, _ connection: Connection,
        answer: @escaping (Refusal?) -> Void
    ) -> ClientAuthorization.RequestID? {
        lastID += 1
        let id = lastID
        requests[id] = Request(connection: connection, client: client, answer: answer)
        client.asking.requests += 1
        client.asking.requester = Requester(connection)
        apply(.request(id, request), to: client)
        return requests[id] == nil ? nil : id
    }

    /// Withdraws a request whose client has disconnected.
    func withdraw(_ id: ClientAuthorization.RequestID?, _ client: Client) {
        guard let id, requests.removeValue(forKey: id) != nil else { return }
        client.asking.requests -= 1
        apply(.withdraw(id), to: client)
    }

    /// Ends requests of connections that belong to another client since the configuration was reloaded, or to none.
    func endRequestsOfRedeclaredPeers() {
        for (id, request) in requests {
            guard let refusal = directory.refusalIfRedeclared(request.connection, request.client) else { continue }
            finish(id, refusal)
            apply(.withdraw(id), to: request.client)
        }
    }

    private func finish(_ id: ClientAuthorization.RequestID, _ refusal: Refusal?) {
        guard let request = requests.removeValue(forKey: id) else { return }
        request.client.asking.requests -= 1
        request.answer(refusal)
    }
}

/// A decision that could not be saved.
struct Unsaved: Error {
    let reason: any Error
    /// True if it is in force until the daemon exits, which holds for restrictions.
    let isInForce: Bool
}

extension ClientAuthorization.Event {
    /// True for a restriction, which does not wait for a decision that is being saved.
    fileprivate var takesEffectAtOnce: Bool {
        switch self {
        case .circumstances, .leftUse, .ended, .decide(.deny), .answer(.dontAllow): true
        case .request, .withdraw, .answer, .unanswered, .backgroundDeliveryDue, .decide, .saved: false
        }
    }

    /// True for a request or its end, which changes access only by opening or closing a prompt.
    fileprivate var isRequest: Bool {
        switch self {
        case .request, .withdraw: true
        default: false
        }
    }

    /// True if the event closes the open prompt.
    fileprivate var endsPrompt: Bool {
        switch self {
        case .answer, .unanswered: true
        default: false
        }
    }
}

extension AuthorizationRecord {
    /// The decision as text for the log.
    var summary: String {
        let grant =
            (grant.map(\.rawValue) ?? "not determined")
            + (ending.map { $0.time.isLogout ? " until logout" : " until \($0.time)" } ?? "")
        return accuracy.map { "\(grant), \($0.rawValue) accuracy" } ?? grant
    }
}
