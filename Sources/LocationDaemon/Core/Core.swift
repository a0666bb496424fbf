import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import LocationUsage
import Logging
import NIOCore

/// Where locations meet those who may know them: the parts, put together, and what doors can ask of them.
///
/// It lives on one event loop, together with the source and all connections: what the source reports is written to every
/// subscriber before anything else happens, and between a decision and its effect there is no moment in which a location
/// could slip through. That is also why nothing here is `async`: what takes time, the disk, answers by a callback on the
/// same loop. It does not know by which door a peer came.
///
/// `@unchecked Sendable` because it is confined to the event loop, which ``Hub/core``, the way to it, checks.
final class Core: @unchecked Sendable {
    let eventLoop: any EventLoop
    let logger: Logger
    let disk: DecisionKeeper
    let share: LoopShare
    var configuration: Configuration

    let table: ConnectionTable
    let directory: ClientDirectory
    let desk: PromptDesk
    let authorizer: Authorizer
    let use: UseTracker
    let publisher: Publisher
    let accesses: AccessLog
    /// Counts the switches of location services that are being saved, by user; `nil` stands for everybody's.
    var switches: [UInt32?: Int] = [:]
    /// The doors besides the service's own socket, and what is wrong with them.
    var doors: [ManagerInterface.Door] = []
    private var unseen = UnseenPrograms()
    private var lastID: UInt64 = 0

    init(
        eventLoop: any EventLoop, logger: Logger, disk: DecisionKeeper, kept: DecisionKeeper.Kept,
        configuration: Configuration, share: LoopShare
    ) {
        self.eventLoop = eventLoop
        self.logger = logger
        self.disk = disk
        self.share = share
        self.configuration = configuration
        let daemon = configuration.daemon
        table = ConnectionTable(eventLoop: eventLoop)
        directory = ClientDirectory(table: table, eventLoop: eventLoop, configuration: configuration, kept: kept)
        desk = PromptDesk(eventLoop: eventLoop)
        authorizer = Authorizer(
            directory: directory, desk: desk, disk: disk, eventLoop: eventLoop, logger: logger,
            promptTimeout: daemon.promptTimeout)
        use = UseTracker(table: table)
        accesses = AccessLog(eventLoop: eventLoop, logger: logger, disk: disk, historyDays: daemon.historyDays)
        publisher = Publisher(
            eventLoop: eventLoop, share: share, accesses: accesses,
            rough: RoughLocations(disk: disk, eventLoop: eventLoop, releases: kept.roughReleases))
        wire()
    }

    /// What one part reports to another goes through here.
    private func wire() {
        authorizer.onChange = { [unowned self] in refresh($0) }
        use.onChange = { [unowned self] in receive($0, $1) }
        publisher.onSuspendedDelivery = { [unowned self] in confirmIfProvisional($0) }
        accesses.onEnd = { [unowned self] in directory.forgetIfBlank($0) }
        publisher.rough.onAvailable = { [unowned self] in publisher.releaseRough(to: $0) }
        publisher.rough.onFailure = { [logger] client, error in
            // Without its secret, or a record of the release, there is no rough location to give, and no exact one either.
            logger.error(
                "\(client) gets no rough location: the disk failed: \(error)", metadata: ["client": "\(client)"])
        }
        directory.onUndeclared = { [unowned self] peer in
            if let line = unseen.line(for: peer) { logger.notice("\(line)", metadata: ["uid": "\(peer.userID)"]) }
        }
    }

    /// A number that nothing else of this daemon has.
    func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Ends the parts; whoever still waits is ended by the door.
    func shutdown() {
        accesses.shutdown()
        table.shutdown()
        directory.shutdown()
        publisher.setSource(nil)
        use.setMonitor(nil)
    }
}

// MARK: Connections

extension Core {
    /// Opens a connection for a peer, or says why it may not have another.
    ///
    /// - Parameter undeclared: what stands in for a declaration if none matches, where the door's protocol is one of programs
    ///   that nobody declares.
    func open(
        _ peer: PeerIdentity, _ process: WatchedProcess, door: Door, undeclared: ClientDeclaration? = nil
    ) throws(Refusal) -> Connection {
        let connection = try table.open(
            peer, process, door: door, undeclared: undeclared, id: nextID(),
            limit: configuration.daemon.limits.connectionsPerUser)
        if door.isForApplications { use.noteApplication(connection.process) }
        return connection
    }

    /// Forgets a connection, with whatever is still open on it.
    func close(_ connection: Connection) {
        for subscription in connection.subscriptions.values { close(subscription) }
        for request in connection.requests.values { close(request) }
        table.close(connection)
        if let client = connection.client {
            connection.client = nil
            client.remove(connection)
            use.removed(connection, of: client)
            directory.forgetIfBlank(client)
        }
        table.forgetIfBlank(connection.user)
    }

    /// Whether nobody would miss the daemon: nobody is connected, and no rough location has to be remembered for whoever asks
    /// next.
    func isDispensable(at instant: ContinuousClock.Instant) -> Bool {
        table.count == 0 && !publisher.rough.remembersAny(at: instant)
    }
}

// MARK: Changes of access

extension Core {
    /// Has everybody hear whom a client's new authorization concerns. It is in force already: what is told here is only why.
    private func refresh(_ client: Client) {
        use.review(client)
        prepareRough(client)
        publisher.countNeeds(client.connections.values.lazy.flatMap(\.subscriptions.values))
        let user = client.user.id
        share.forEach(Array(client.watchers.values), for: user) { $0.tell() }
        share.forEach(Array(client.connections.values), for: user) { [self] in review($0) }
    }

    /// Looks anew at all that is open on a connection.
    private func review(_ connection: Connection) {
        for subscription in connection.subscriptions.values { publisher.review(subscription) }
        for request in connection.requests.values { review(request) }
    }

    /// Ends a request that waits, unless its client may still know.
    private func review(_ request: LocationRequest) {
        do throws(Refusal) {
            try requireAccess(request)
            publisher.answerIfKnown(request)
        } catch {
            publisher.remove(request)
            request.end(error)
        }
    }

    /// Refuses a request whose client may not know.
    func requireAccess(_ request: LocationRequest) throws(Refusal) {
        switch request.evaluation.access {
        case .permitted: return
        // The evidence is on its way: what it says comes as an event.
        case .suspended where !request.connection.process.isUseKnown && use.monitor != nil: return
        case .suspended, .undecided, .refused:
            throw .notAuthorized(request.client.declaration, request.client.authorization)
        }
    }

    /// Passes on what the evidence says of processes. Their use is in force already.
    private func receive(
        _ clients: [(client: Client, change: UseTracker.Change?)], _ processes: [PeerProcess]
    ) {
        for (client, change) in clients {
            switch change {
            case .ended:
                authorizer.apply(.ended, to: client)
                directory.forgetIfBlank(client)
            case .leftUse where client.authorization.endsWithUse: authorizer.apply(.leftUse, to: client)
            case .leftUse, nil: break
            }
        }
        let concerned = processes.flatMap(\.connections.values)
        publisher.countNeeds(concerned.lazy.flatMap(\.subscriptions.values))
        let byUser = Dictionary(grouping: concerned, by: \.user.id)
        for (user, connections) in byUser { share.forEach(connections, for: user) { [self] in review($0) } }
    }

    /// A location is due to a provisional always client in the background: the user is asked whether always is meant.
    private func confirmIfProvisional(_ subscription: Subscription) {
        let client = subscription.client
        guard client.authorization.needsConfirmation, client.authorization.prompt == nil else { return }
        client.asking = subscription.connection.peer
        authorizer.apply(.backgroundDeliveryDue, to: client)
    }

    /// Applies declarations that have been read anew to everybody.
    func reauthorizeAll() {
        authorizer.endRequestsOfOthers()
        for user in table.users.values {
            for client in user.clients.values { reauthorize(client) }
            endActivitiesOfOthers(user)
        }
        publisher.updateNeed()
    }

    /// Applies declarations that have been read anew to one client and its connections. A peer may be another client than
    /// before, or none.
    private func reauthorize(_ client: Client) {
        for connection in client.connections.values {
            guard let refusal = directory.changedIdentity(of: connection, client) else { continue }
            for subscription in connection.subscriptions.values { end(subscription, refusal) }
            for request in connection.requests.values {
                publisher.remove(request)
                request.end(refusal)
            }
            for (id, watcher) in client.watchers where watcher.connection === connection {
                client.watchers[id] = nil
                watcher.end(refusal)
            }
            connection.client = nil
            client.remove(connection)
            use.removed(connection, of: client)
        }
        guard let declaration = directory.declaration(named: client.key.client, of: client.user) else {
            // It is not declared any more. What was decided about it stays on disk.
            desk.close(client)
            use.forget(client)
            return directory.forget(client)
        }
        client.declaration = declaration
        authorizer.apply(.circumstances(directory.circumstances(of: declaration, client.key.userID)), to: client)
    }

    /// Ends a subscription with the last word.
    func end(_ subscription: Subscription, _ refusal: Refusal) {
        publisher.remove(subscription)
        subscription.end(refusal)
    }

    /// Switches location services on or off, for a user or with `nil` for everybody. In force at once.
    func set(isEnabled: Bool, _ userID: UInt32?) {
        for client in directory.set(isEnabled: isEnabled, userID) {
            authorizer.apply(
                .circumstances(directory.circumstances(of: client.declaration, client.key.userID)), to: client)
        }
    }
}
