package import LinuxPlumbing
package import LocationConfiguration
package import LocationModel
package import LocationPolicy
package import LocationSources
import LocationStore
package import LocationUsage
package import Logging
package import NIOCore

/// The core of the daemon: combines its parts, and implements the requests of front ends.
///
/// It is confined to one event loop, together with the source and all connections: a report of the source is written to
/// every subscriber before anything else happens, and there is no moment between a decision and its effect in which a
/// location could slip through. Therefore nothing here is `async`; slow work, the disk, answers by a callback on the
/// same loop. The core does not know by which front end a peer came.
///
/// `@unchecked Sendable` because it is confined to the event loop, which its users are, too.
package final class Core: @unchecked Sendable {
    package let eventLoop: any EventLoop
    package let logger: Logger
    let disk: DecisionStore
    let share: LoopShare
    let queue: CoreQueue
    /// The configuration in force, and where it comes from.
    var settings: Settings
    /// The open front ends.
    var frontEnds: [any FrontEnd] = []
    let table: ConnectionTable
    let rules: RuleDirectory
    let directory: ClientDirectory
    let authorizer: Authorizer
    let use: UseTracker
    let disclosures: Disclosures
    let publisher: Publisher
    let accesses: AccessLog
    let desktops: DesktopSettings
    let launcher: ProgramLauncher
    let managers: ManagerStreams
    /// The clients that their users trust to have the location all the time, and that therefore light no indicator. They are listed
    /// like any other. Neither a declaration nor a program can put one there.
    var quiet: Set<ClientKey>
    let unused: UnusedPermissions
    /// A value for the first location after a time without one; what comes while nobody reads is one value.
    package let firstLocations: AsyncStream<Void>
    private let firstLocationsContinuation: AsyncStream<Void>.Continuation

    /// Runs on the event loop of `disk`.
    package init(
        logger: Logger, disk: DecisionStore, stored: DecisionStore.StoredState, hasClock: Bool = true,
        clock: RuleClock? = nil,
        loadConfiguration: @escaping @Sendable (Configuration?) throws -> Configuration
    ) throws {
        eventLoop = disk.eventLoop
        let queue = CoreQueue(eventLoop: eventLoop)
        (firstLocations, firstLocationsContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let share = LoopShare(queue: queue, hasClock: hasClock)
        let configuration = try loadConfiguration(nil)
        settings = Settings(configuration: configuration, load: loadConfiguration)
        self.logger = logger
        self.disk = disk
        self.queue = queue
        self.share = share
        let daemon = configuration.daemon
        desktops = DesktopSettings(stored.desktopLevels, disk: disk, logger: logger)
        let gate = Gate(eventLoop: eventLoop, wallClock: disk.now)
        rules = RuleDirectory(
            clock: clock ?? RuleClock(now: disk.now), newest: { gate.supply.newest?.position }, logger: logger)
        table = ConnectionTable(eventLoop: eventLoop, desktops: desktops, rules: rules)
        directory = ClientDirectory(
            table: table, rules: rules, configuration: configuration, stored: stored, queue: queue)
        authorizer = Authorizer(
            directory: directory, prompts: PromptDispatcher(queue: queue), disk: disk, logger: logger,
            promptTimeout: daemon.promptTimeout, decisionsPerUser: daemon.limits.decisionsPerUser, queue: queue)
        use = UseTracker(table: table, queue: queue)
        managers = ManagerStreams(queue: queue)
        quiet = stored.quietClients
        unused = UnusedPermissions(stored, now: disk.now())
        launcher = ProgramLauncher(
            table: table, directory: directory, prompts: authorizer.prompts, queue: queue, logger: logger)
        accesses = AccessLog(logger: logger, disk: disk, historyDays: daemon.historyDays, queue: queue)
        let reduced = ReducedLocations(disk: disk, releases: stored.reducedReleases, queue: queue)
        disclosures = Disclosures(gate: gate, reduced: reduced, accesses: accesses, queue: queue)
        publisher = Publisher(
            share: share, disclosures: disclosures,
            conditions: ConditionMonitor(
                stored.watched, gate: gate, disk: disk, accesses: accesses, share: share, logger: logger, queue: queue),
            queue: queue)
        rules.adopt(stored)
        disk.onReopened { [unowned self] stored, opening in self.queue.take { self.adopt(stored, opening) } }
        logIfOffAfterDamage()
        startReviewingUnused()
        queue.start { [weak self] in self?.perform($0) }
    }

    package var configuration: Configuration { settings.configuration }
    var prompts: PromptDispatcher { authorizer.prompts }

    private func logIfOffAfterDamage() {
        guard directory.isOffAfterDamage else { return }
        logger.error(
            """
            Location services are off for this machine, because the decisions were lost. \
            To switch them on, run: sudo locationctl on --system
            """)
    }

    /// Performs an action that a part has left to the core.
    private func perform(_ action: CoreAction) {
        switch action {
        case .takeIn(let event): event()
        case .announceAuthorization(let client): refresh(client)
        case .applyUse(let clients, let processes): applyUse(clients, processes)
        case .askToConfirm(let client, let connection): authorizer.confirmAlways(client, connection)
        case .wakeReceiver: publisher.wakeReceiver()
        case .updateNeed: publisher.updateNeed()
        case .showFrame(let following, let rate, let due): publisher.showFrame(of: following, rate, due: due)
        case .startProgram(let client): launcher.start(client)
        case .deliverReduced(let name):
            publisher.releaseReduced(to: name, of: table.users.values.compactMap { $0.clients[name] })
        case .reportFailedReduction(let client, let error):
            // A client with reduced accuracy gets nothing without its secret and a record of the release; an exact
            // location is never a substitute.
            logger.error(
                "\(client) gets no reduced location: the disk failed: \(error)", metadata: ["client": "\(client)"])
        case .endUnanswered(let prompt): authorizer.endUnanswered(prompt)
        case .giveUp(let request): publisher.giveUp(request)
        case .discardIfUnused(let client): directory.discardIfUnused(client)
        case .reportUnverified(let line, let userID): logger.notice("\(line)", metadata: ["uid": "\(userID)"])
        case .announceLocation: firstLocationsContinuation.yield()
        case .reviewCurrentAccess(let access): accesses.current.review(access, hasLocation: publisher.hasLocation)
        case .tellManagers(let part, let userID): managers.note(part, of: userID)
        case .savePacedRelease(let client):
            disk.savePacedRelease(to: client.key).whenFailure { [logger, metadata = client.metadata] in
                logger.error("The time of a client's last location could not be saved: \($0)", metadata: metadata)
            }
        }
    }

    /// Handles an event of the sources.
    package func receive(_ event: SourceEvent) { queue.take { [self] in publisher.receive(event) } }

    /// Handles events about the use of processes.
    package func receive(_ events: [UsageEvent]) { queue.take { [self] in use.receive(events) } }

    /// Sets the monitor of the use of processes.
    package func setMonitor(_ monitor: any UsageWatching) { use.setMonitor(monitor) }

    /// Sets what starts units of the system.
    package func setUnitStarter(_ starter: any UnitStarting) { launcher.starter = starter }

    /// The kinds of sources that could give locations, as far as is known.
    package var availableKinds: Set<Location.SourceInformation.Kind> { publisher.sources?.availableKinds ?? [] }

    /// Starts or ends following ``availableKinds``, for a front end that shows them to its peers.
    package func watchAvailability(_ isWatched: Bool) { publisher.sources?.watchAvailability(isWatched) }

    /// Determines ``availableKinds`` again, where no event reports changes.
    package func refreshAvailability() { publisher.sources?.refreshAvailability() }

    /// True while a location is fresh.
    package var hasLocation: Bool { publisher.hasLocation }

    /// Sends the pending state to a subscription whose peer reads again.
    package func resume(_ subscription: Subscription) { queue.take { [self] in publisher.resume(subscription) } }

    /// Shuts the parts down. The front ends end waiting calls.
    package func shutdown() {
        closeFrontEnds()
        queue.answer {
            launcher.shutdown()
            saveUses()
            accesses.shutdown()
            table.shutdown()
            directory.shutdown()
            publisher.shutdown()
            use.setMonitor(nil)
            rules.shutdown()
            managers.shutdown()
            unused.shutdown()
        }
    }
}

// MARK: Connections

extension Core {
    /// Opens a connection for a peer, unless its user has reached the limit.
    ///
    /// - Parameters:
    ///   - undeclared: The stand-in for a declaration if none matches; only for protocols whose programs need not be declared.
    ///   - isReserved: True if the front end has reserved it with ``reserveConnection(of:through:)``, and releases it.
    package func open(
        _ peer: PeerIdentity, _ process: WatchedProcess, frontEnd: FrontEndKind, undeclared: ClientDeclaration? = nil,
        isReserved: Bool = false
    ) throws(Refusal) -> Connection {
        try queue.answer { () throws(Refusal) in
            let limit = connectionLimit(of: peer.userID)
            // The share of agents, in which it was reserved, is for them only.
            if isReserved, let user = table.users[peer.userID], !isTrusted(peer),
                user.connections[frontEnd, default: 0] > limit
                    || user.connectionCount > connectionsInAll(of: peer.userID)
            {
                throw table.refusal(of: user, through: frontEnd, limit: limit)
            }
            let connection = try table.open(
                peer, process, frontEnd: frontEnd, undeclared: undeclared, limit: isReserved ? nil : limit)
            if frontEnd.isForApplications { use.noteApplication(connection.process) }
            return connection
        }
    }

    /// The connections of each user beyond ``connectionLimit(of:)`` that only agents may have: other programs cannot keep a user
    /// from deciding.
    private static let shareOfAgents = 16

    /// Counts a connection of a user before it is opened, until ``releaseConnection(of:through:)``, unless the user has reached
    /// the limit: its peer may be identified only later, or its calls may open one.
    package func reserveConnection(of userID: UInt32, through frontEnd: FrontEndKind) throws(Refusal) {
        try table.reserve(
            for: userID, through: frontEnd, limit: connectionLimit(of: userID), all: connectionsInAll(of: userID),
            share: frontEnd.servesAgents ? Self.shareOfAgents : 0)
    }

    /// Ends the count of a reserved connection, which is closed by now.
    package func releaseConnection(of userID: UInt32, through frontEnd: FrontEndKind) {
        table.release(of: userID, through: frontEnd)
    }

    /// The largest number of connections of a user through each front end: `ConnectionsPerUser`, as far as the limit of open files permits it.
    /// Administrators are not held to that, because a part of the files is theirs.
    func connectionLimit(of userID: UInt32) -> Int {
        let configured = configuration.daemon.limits.connectionsPerUser
        return Self.administersService(userID) ? configured : min(configured, settings.connectionsWithFiles)
    }

    /// The largest number of connections of a user through all front ends: as many as the limit of open files permits.
    private func connectionsInAll(of userID: UInt32) -> Int {
        Self.administersService(userID) ? .max : settings.connectionsWithFiles
    }

    /// Closes a connection and everything open on it.
    package func close(_ connection: Connection) { queue.take { [self] in remove(connection) } }

    private func remove(_ connection: Connection) {
        for stream in connection.watchStreams.values { remove(stream) }
        for subscription in connection.subscriptions.values { remove(subscription) }
        for request in connection.requests.values { remove(request) }
        table.close(connection)
        if let client = directory.detach(connection) {
            use.removed(connection, of: client)
            publisher.conditions.review(client)
            managers.note(.clients, of: client.user.id)
            directory.discardIfUnused(client)
        }
        table.discardIfUnused(connection.user)
    }

    /// True if the daemon may exit: nobody is connected, nothing is watched, no decision ends with a logout, and no client has a
    /// reduced location that must not be replaced yet.
    package func isIdle(at instant: ContinuousClock.Instant) -> Bool {
        table.count == 0 && directory.untilLogout.isEmpty && !publisher.conditions.isNeeded
            && !disclosures.reduced.remembersAny(at: instant)
    }
}

// MARK: Changes of access

extension Core {
    /// Sets the watches of changes on which rules depend: of the wall clock, and of power, locks and presence.
    package func setWatches(_ clock: any WallClockWatching, _ surroundings: any SurroundingsWatching) {
        let changed: (Bool) -> Void = { [weak self] isClock in
            guard let self else { return }
            queue.take { [self] in
                if isClock {
                    authorizer.endDecisions(at: rules.now)
                    rules.clockChanged()
                }
                endDecisionsAtLogout()
                surroundingsChanged()
            }
        }
        clock.onChange = { changed(true) }
        surroundings.onChange = { changed(false) }
        rules.setWatches(clock, surroundings)
        queue.take { [self] in
            endDecisionsOfEarlierLogins()
            reviewUnused()
        }
    }

    /// Evaluates access again for all clients that rules may limit, because what rules depend on has changed. It is in force
    /// already.
    func surroundingsChanged() {
        managers.note(.rules, of: nil)
        for user in table.users.values {
            for client in user.clients.values where client.isEvaluatedEachTime { refresh(client) }
        }
    }

    /// Notifies the watchers, subscriptions and requests of a client of its new authorization, which is in force already.
    func refresh(_ client: Client) {
        managers.note(.clients, of: client.user.id)
        use.review(client)
        guard !client.authorization.endsWithProcess || !client.watched.isEmpty else {
            // The last process has ended, so this ended before it began.
            return authorizer.apply(.ended, to: client)
        }
        let subscriptions = client.connections.values.lazy.flatMap(\.subscriptions.values)
        prepareReduction(client, for: subscriptions)
        publisher.countNeeds(subscriptions)
        publisher.conditions.review(client)
        let user = client.user.id
        share.forEach(Array(client.watchers.values), for: user) { $0.notify() }
        share.forEach(Array(client.connections.values), for: user) { [self] in review($0) }
    }

    /// Reviews everything open on a connection.
    private func review(_ connection: Connection) {
        for subscription in connection.subscriptions.values { publisher.review(subscription) }
        for request in connection.requests.values { review(request) }
    }

    /// Ends a waiting request if its client has lost access.
    private func review(_ request: LocationRequest) {
        do throws(Refusal) {
            try requireAccess(request)
            publisher.requests.answerIfKnown(request)
        } catch {
            publisher.requests.remove(request)
            request.end(error)
        }
    }

    /// Throws the reason why the client of a request has no access.
    func requireAccess(_ request: LocationRequest) throws(Refusal) {
        switch request.evaluation.access {
        case .permitted: return
        // The evidence is pending and will arrive as an event.
        case .suspended where !request.connection.process.isUseKnown && use.monitor != nil: return
        case .suspended, .undecided, .refused:
            throw .notAuthorized(request.client.declaration, request.evaluation, request.connection.process)
        }
    }

    /// Handles changes of use, which are in force already.
    private func applyUse(
        _ clients: [(client: Client, change: UseTracker.Change?)], _ processes: [PeerProcess]
    ) {
        for (client, change) in clients {
            managers.note(.clients, of: client.user.id)
            switch change {
            case .ended:
                authorizer.apply(.ended, to: client)
                directory.discardIfUnused(client)
            case .leftUse where client.authorization.endsWithUse: authorizer.apply(.leftUse, to: client)
            case .leftUse, nil: break
            }
            publisher.conditions.review(client)
            share.forEach(Array(client.watchers.values), for: client.user.id) { $0.notify() }
        }
        let concerned = processes.flatMap(\.connections.values)
        publisher.countNeeds(concerned.lazy.flatMap(\.subscriptions.values))
        let byUser = Dictionary(grouping: concerned, by: \.user.id)
        for (user, connections) in byUser { share.forEach(connections, for: user) { [self] in review($0) } }
    }

    /// Applies reloaded declarations to all clients.
    func reauthorizeAll() {
        authorizer.endRequestsOfRedeclaredPeers()
        for user in table.users.values {
            for client in user.clients.values { reauthorize(client) }
            endActivitiesOfRedeclaredPeers(user)
        }
        attachWatchingClients()
        publisher.updateNeed()
    }

    /// Applies reloaded declarations to one client and its connections. A peer may now be another client, or none.
    private func reauthorize(_ client: Client) {
        for connection in client.connections.values {
            guard let refusal = directory.refusalIfRedeclared(connection, client) else { continue }
            for subscription in connection.subscriptions.values { end(subscription, refusal) }
            for request in connection.requests.values {
                publisher.requests.remove(request)
                request.end(refusal)
            }
            for stream in connection.watchStreams.values {
                remove(stream)
                stream.observer.end(refusal)
            }
            for (id, watcher) in client.watchers where watcher.connection === connection {
                client.watchers[id] = nil
                watcher.end(refusal)
            }
            _ = directory.detach(connection)
            use.removed(connection, of: client)
        }
        guard let declaration = directory.declaration(named: client.key.client, of: client.user) else {
            // It is no longer declared. Its decisions stay on disk.
            prompts.close(client)
            use.stopWatching(client)
            publisher.conditions.detach(client)
            return directory.discard(client)
        }
        directory.declare(client, by: declaration)
        authorizer.apply(.circumstances(directory.circumstances(of: declaration, client.key.userID)), to: client)
    }

    /// Ends a subscription with an error.
    func end(_ subscription: Subscription, _ refusal: Refusal) {
        publisher.remove(subscription)
        subscription.end(refusal)
    }

    /// Adopts the content of a database that took the place of the open one: see ``ClientDirectory/adopt(_:)``.
    private func adopt(_ stored: DecisionStore.StoredState, _ opening: StoreOpening) {
        logger.error(
            "The database was moved or overwritten while it was open. The file that is there now is used; denials stay in force.",
            metadata: JournalMessage.decisionsLost.metadata)
        opening.log(to: logger, directory: disk.directory)
        publisher.conditions.adopt(stored.watched)
        quiet = stored.quietClients
        attachWatchingClients()
        let lacking = directory.adopt(stored)
        let lackingRules = rules.adopt(replacing: stored)
        logIfOffAfterDamage()
        let origin = { DecisionOrigin(userID: $0, manner: .command, timestamp: self.disk.now()) }
        var saved: [EventLoopFuture<Void>] = lacking.records.map { key, record in
            disk.save(record, for: key, origin: origin(key.userID)).map { _ in }
        }
        saved += lacking.disabled.map { disk.setEnabled(false, $0, origin: origin($0 ?? 0)) }
        saved += lackingRules.map { user, changes in
            disk.save(changes, of: user, by: user, isDenial: true).map { _ in }
        }
        EventLoopFuture.andAllSucceed(saved, on: eventLoop).whenFailure { [logger] error in
            logger.error("Not all restrictions could be saved to it: \(error)")
        }
        for client in table.users.values.flatMap(\.clients.values) {
            authorizer.adopt(client)
            authorizer.apply(
                .circumstances(directory.circumstances(of: client.declaration, client.key.userID)), to: client)
        }
        endDecisionsOfEarlierLogins()
        unused.adopt(stored)
        reviewUnused()
    }

    /// Switches location services on or off for a user, or with `nil` for everybody, at once.
    func set(isEnabled: Bool, _ userID: UInt32?) {
        for client in directory.set(isEnabled: isEnabled, userID) {
            authorizer.apply(
                .circumstances(directory.circumstances(of: client.declaration, client.key.userID)), to: client)
        }
        managers.note(.services, of: userID)
        managers.note(.clients, of: userID)
        if !isEnabled { publisher.forget() }
        if isEnabled, let userID, desktops.lift(of: userID) { desktopChanged(of: userID) }
    }
}
