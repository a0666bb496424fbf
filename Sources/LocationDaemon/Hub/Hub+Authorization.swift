import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationUsage
import Logging
import NIOCore
import Varlink

// Who may know: what happened goes through the client's state machine, its actions are done here, and everybody whom
// the outcome concerns hears of it before anything else happens.

// MARK: Who is who

extension Hub {
    /// The declaration of the client that `peer` is.
    func declaration(of peer: PeerIdentity) throws(VarlinkError) -> ClientDeclaration {
        switch registry.recognise(peer) {
        case .declared(let declaration): return declaration
        case .undeclared:
            noteUnseen(peer)
            throw .notDeclared(peer, directories: configuration.daemon.clientDirectories)
        case .ambiguous(let declarations): throw .ambiguous(peer, declarations)
        }
    }

    /// The client that a session is.
    func client(of session: Session) throws(VarlinkError) -> Client {
        if let known = clientsBySession[session.id] { return known }
        let client = client(try declaration(of: session.peer), of: session.peer.userID)
        clientsBySession[session.id] = client
        client.add(session)
        return client
    }

    /// A declared client of a user.
    func client(_ declaration: ClientDeclaration, of user: UInt32) -> Client {
        let key = ClientKey(userID: user, client: declaration.identifier)
        if let known = clients[key] { return known }
        let authorization = ClientAuthorization(
            record: records[key] ?? AuthorizationRecord(), circumstances: circumstances(of: declaration, user))
        let client = Client(key: key, declaration: declaration, authorization: authorization)
        clients[key] = client
        readSecretIfNeeded(of: client)
        return client
    }

    private func circumstances(
        of declaration: ClientDeclaration, _ user: UInt32
    ) -> ClientAuthorization.Circumstances {
        .init(declaration: declaration, areServicesEnabled: disabled.isDisjoint(with: [nil, user]))
    }

    private func readSecretIfNeeded(of client: Client) {
        let name = client.key.client
        guard reductions[name] == nil, client.authorization.authorization.accuracy == .reduced else { return }
        decisions.secret(for: name, on: eventLoop).assumeIsolated().whenComplete { [weak self] result in
            switch result {
            case .success(let secret):
                self?.assumeIsolated { hub in
                    guard hub.reductions[name] == nil else { return }
                    hub.reductions[name] = AccuracyReduction(secret: secret)
                    for subscription in hub.subscriptions.values where subscription.client.key.client == name {
                        hub.catchUp(subscription)
                    }
                }
            case .failure(let error):
                // Without a secret there is no rough location to give, and no exact one either.
                self?.logger.error(
                    "\(name) gets no location: its secret could not be read: \(error)", metadata: client.metadata)
            }
        }
    }
}

// MARK: What happened and what follows

extension Hub {
    /// Takes an event through a client's state machine, does what it says, and then calls `completion`: with what kept a
    /// decision from being saved, or with `nil`.
    ///
    /// A decision is on disk before anybody hears of it. Until then the client stays as it was, and what else happens
    /// to it waits. If it cannot be saved, it does not count; but a denial counts all the same, until the daemon ends.
    func apply(
        _ event: ClientAuthorization.Event, to client: Client, by origin: DecisionOrigin? = nil,
        completion: @escaping @Sendable (Unsaved?) -> Void = { _ in }
    ) {
        guard !client.isSaving else {
            return whenSettled(client) { $0.apply(event, to: client, by: origin, completion: completion) }
        }
        var next = client.authorization
        let actions = next.handle(event, at: .now)
        // What counts need not be what the disk has: a denial that could not be saved is saved when it is repeated.
        guard next.record != records[client.key] ?? AuthorizationRecord(), let origin else {
            commit(next, actions, to: client)
            completion(nil)
            return
        }
        client.isSaving = true
        let record = next.record
        decisions.save(record, for: client.key, origin: origin, on: eventLoop).assumeIsolated().whenComplete {
            [weak self] result in
            self?.assumeIsolated { hub in
                client.isSaving = false
                switch result {
                case .success:
                    hub.records[client.key] = record
                    hub.logger.notice(
                        "\(client.summary): \(record.summary), decided by user \(origin.userID).",
                        metadata: JournalMessage.decided.metadata(
                            client: client.key.client, user: client.key.userID, decision: record.summary))
                    hub.commit(next, actions, to: client)
                    completion(nil)
                case .failure(let error):
                    hub.logger.error(
                        "A decision about \(client.summary) could not be saved: \(error)", metadata: client.metadata)
                    let isInForce = record.grant == .denied
                    if isInForce { hub.commit(next, actions, to: client) }
                    completion(Unsaved(reason: error, isInForce: isInForce))
                }
                let postponed = client.postponed
                client.postponed = []
                for body in postponed { body() }
            }
        }
    }

    /// Calls `body` now or, while a decision about a client is on its way to the disk, after that. What it relies on may be
    /// otherwise by then.
    func whenSettled(_ client: Client, _ body: @escaping @Sendable (isolated Hub) -> Void) {
        guard client.isSaving else { return body(self) }
        client.postponed.append { [weak self] in self?.assumeIsolated { $0.whenSettled(client, body) } }
    }

    private func commit(_ next: ClientAuthorization, _ actions: [ClientAuthorization.Action], to client: Client) {
        let before = client.authorization.authorization
        client.authorization = next
        if next.authorization != before { readSecretIfNeeded(of: client) }
        // Opening one closes the one before.
        for case .show(let prompt) in actions { open(prompt, for: client) }
        if next.prompt == nil { closePrompt(of: client) }
        refresh(client)
        for action in actions {
            switch action {
            case .complete(let id): authorizationRequests.removeValue(forKey: id)?.answer(nil)
            case .fail(let id, let failure):
                authorizationRequests.removeValue(forKey: id)?.answer(.failure(failure, client, configuration.daemon))
            case .save, .show, .withdrawPrompt: break
            }
        }
    }

    /// Tells everybody whom it concerns what a client may have now.
    func refresh(_ client: Client) {
        watchUse(of: client)
        for subscription in subscriptions.values where subscription.client === client { authorize(subscription) }
        for request in requests.values where request.client === client { authorize(request) }
        for watcher in authorizationWatchers.values where watcher.client === client { watcher.tell() }
        updateNeed()
    }

    /// Applies the configuration and the switches as they are now to everybody.
    func reauthorizeAll() {
        // A peer may be another client than before, or none: that is looked up anew.
        clientsBySession = [:]
        for client in clients.values {
            for session in client.sessions.values where changedIdentity(of: session, client) != nil {
                client.remove(session)
            }
            for id in client.sessions.keys { clientsBySession[id] = client }
            guard let declaration = registry.declarations[client.key.client] else { continue }
            client.declaration = declaration
            apply(.circumstances(circumstances(of: declaration, client.key.userID)), to: client)
        }
        for (id, request) in authorizationRequests {
            guard let error = changedIdentity(of: request.session, request.client) else { continue }
            authorizationRequests.removeValue(forKey: id)?.answer(error)
            apply(.withdraw(id), to: request.client)
        }
        for (id, subscription) in subscriptions {
            if let error = changedIdentity(of: subscription.session, subscription.client) { end(id, error) }
        }
        for (id, request) in requests {
            guard let error = changedIdentity(of: request.session, request.client) else { continue }
            request.end(error)
            requests.removeValue(forKey: id)?.timer?.cancel()
        }
        for (id, watcher) in authorizationWatchers {
            guard let error = changedIdentity(of: watcher.session, watcher.client) else { continue }
            authorizationWatchers.removeValue(forKey: id)?.call.fail(error)
        }
        reauthorizeActivities()
        let gone = clients.filter { registry.declarations[$0.key.client] == nil }
        for client in gone.values { forget(client) }
        updateNeed()
    }

    /// The error for a session that is not this client any more; `nil` if it still is.
    func changedIdentity(of session: Session, _ client: Client) -> VarlinkError? {
        do throws(VarlinkError) {
            let now = try declaration(of: session.peer)
            return now.identifier == client.key.client
                ? nil : .notAuthorized(self.client(now, of: session.peer.userID))
        } catch {
            return error
        }
    }

    /// Forgets a client that is not declared any more. What was decided about it stays on disk.
    private func forget(_ client: Client) {
        closePrompt(of: client)
        for process in client.watched { usage?.unwatch(process) }
        client.watched = []
        clients[client.key] = nil
    }
}

// MARK: Requests

extension Hub {
    /// What a session's client may have.
    func status(of session: Session) throws(VarlinkError) -> AuthorizationInterface.Status {
        AuthorizationInterface.Status(try client(of: session))
    }

    /// A client asks for authorization.
    func request(
        _ request: ClientAuthorization.Request, _ call: ServerCall, _ session: Session
    ) throws(VarlinkError) {
        let client = try client(of: session)
        watchUse(of: client)
        let asking = ask(request, client, session) { error in
            if let error { call.fail(error) } else { call.reply(AuthorizationInterface.Status(client)) }
        }
        guard let asking else { return }
        call.onCancel = { [weak self] in self?.assumeIsolated { $0.withdraw(asking, client) } }
    }

    /// Asks the user on a client's behalf if nobody has decided yet. Answers the request's id while it waits.
    func askIfUndecided(
        _ request: ClientAuthorization.Request, _ client: Client, _ session: Session,
        answer: @escaping (VarlinkError?) -> Void
    ) -> ClientAuthorization.RequestID? {
        guard client.authorization.authorization.status == .notDetermined else { return nil }
        return ask(request, client, session, answer: answer)
    }

    /// Asks on a client's behalf. Answers the request's id while it waits.
    private func ask(
        _ request: ClientAuthorization.Request, _ client: Client, _ session: Session,
        answer: @escaping (VarlinkError?) -> Void
    ) -> ClientAuthorization.RequestID? {
        let id = nextID()
        authorizationRequests[id] = AuthorizationRequest(session: session, client: client, answer: answer)
        client.asking = session.peer
        apply(.request(id, request), to: client)
        return authorizationRequests[id] == nil ? nil : id
    }

    /// The one who asked has gone.
    func withdraw(_ id: ClientAuthorization.RequestID?, _ client: Client) {
        guard let id, authorizationRequests.removeValue(forKey: id) != nil else { return }
        apply(.withdraw(id), to: client)
    }

    /// Tells a client what it may have, now and after every change.
    func watchAuthorization(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        try call.requireMore()
        let watcher = AuthorizationWatcher(call: call, session: session, client: try client(of: session))
        let id = ObjectIdentifier(call)
        authorizationWatchers[id] = watcher
        call.onCancel = { [weak self] in self?.assumeIsolated { $0.authorizationWatchers[id] = nil } }
        call.onWritable = { watcher.tell() }
        watcher.tell()
    }
}

/// A request for authorization that waits for the user's answer.
struct AuthorizationRequest {
    let session: Session
    let client: Client
    /// Called once: with `nil` when the user has answered, otherwise with the reason why not.
    let answer: (VarlinkError?) -> Void
}

/// One open `Watch` call. Sendable: it lives on the hub's event loop.
final class AuthorizationWatcher: @unchecked Sendable {
    let call: ServerCall
    let session: Session
    let client: Client
    private var told: Authorization?

    init(call: ServerCall, session: Session, client: Client) {
        self.call = call
        self.session = session
        self.client = client
    }

    /// Tells what the client may have, if it has not been told yet and reads.
    func tell() {
        let now = client.authorization.authorization
        guard now != told, call.isWritable else { return }
        told = now
        call.reply(AuthorizationInterface.Status(client), continues: true)
    }
}

/// A decision that is not on disk.
struct Unsaved: Error {
    let reason: any Error
    /// Whether it counts all the same, until the daemon ends: what gives nobody anything does.
    let isInForce: Bool
}

extension AuthorizationInterface.Status {
    init(_ client: Client) {
        let now = client.authorization.authorization
        self.init(client: client.key.client, status: now.status, accuracy: now.accuracy)
    }
}

extension Client {
    /// Who it is, for the log.
    var summary: String { "\(key.client) of user \(key.userID)" }

    /// The fields of a log line about it.
    var metadata: Logger.Metadata { JournalMessage.metadata(client: key.client, user: key.userID) }
}

extension AuthorizationRecord {
    /// What was decided, for the log.
    var summary: String {
        let grant = grant.map(\.rawValue) ?? "not determined"
        return accuracy.map { "\(grant), \($0.rawValue) accuracy" } ?? grant
    }
}
