import CLinux
import Glibc
import LocationConfiguration
package import LocationModel
package import LocationPolicy
import LocationSources
import LocationStore
import Logging

// The management of the service, and decisions by command.

// MARK: The service

extension Core {
    /// Finds the status of the service, as far as the peer of a connection may see it.
    ///
    /// Receivers, their fixes and connected clients reveal where and when a user may be. They are shown to administrators of
    /// the service, and to clients that may have an exact location at this moment and everywhere. A manager is such a client,
    /// too: for a user who denies it, or has switched location services off, it shows no more than the reasons for which the
    /// service does not work.
    package func findStatus(for connection: Connection, completion: @escaping (ServiceReport) -> Void) {
        queue.answer {
            let userID = connection.peer.userID
            let isManager = isTrusted(connection.peer)
            findAccess(toDetailsOn: connection, isManager: isManager) { [self] mayHaveDetails in
                var report = status(for: userID)
                if !mayHaveDetails {
                    report.sources = report.sources.map { source in
                        var bare = SourceStatus(
                            kind: source.kind, connection: source.connection, endpoint: source.endpoint)
                        guard isManager else { return bare }
                        bare.version = source.version
                        // The reason why Wi-Fi fails can reveal which networks are near.
                        if source.kind != .wifi { bare.lastError = source.lastError }
                        return bare
                    }
                    if !isManager { report.problems = [] }
                    report.details = nil
                }
                completion(report)
            }
        }
    }

    private func findAccess(
        toDetailsOn connection: Connection, isManager: Bool, completion: @escaping (Bool) -> Void
    ) {
        let peer = connection.peer
        if Self.administersService(peer.userID) { return completion(true) }
        guard case .declared(let declaration) = directory.registry.recognise(peer) else { return completion(false) }
        let authorization = directory.authorization(of: declaration, peer.userID)
        // They would come and go with the user at the border of a place.
        guard isManager || authorization.absence == .explained else { return completion(false) }
        let decide = { [self] in
            let circumstances = AccessCircumstances(
                isInUse: connection.process.isInUse, desktop: connection.desktopLimit)
            // A manager lists its user's rules, and hides nothing of their borders: those with conditions do not count.
            let evaluation =
                isManager
                ? directory.authorization(of: declaration, peer.userID).standing(circumstances)
                : directory.evaluation(of: declaration, peer.userID, circumstances)
            completion(evaluation.view.release == .full)
        }
        guard authorization.dependsOnUse, use.monitor != nil else { return decide() }
        use.find([connection.process], answer: decide)
    }

    /// The full status of the service for a user.
    package func status(for userID: UInt32) -> ServiceReport {
        ServiceReport(
            sources: publisher.statuses,
            isEnabled: !directory.disabled.contains(nil),
            isEnabledForUser: !directory.disabled.contains(userID),
            isOffAfterDamage: directory.isOffAfterDamage,
            hasAgent: (table.users[userID]?.promptAssignment.agentCount ?? 0) > 0,
            clients: directory.registry.declarations.count,
            frontEnds: frontEnds.compactMap(\.status),
            problems: configuration.problems,
            details: ServiceReport.Details(
                isLocationAvailable: publisher.hasLocation, connections: table.count,
                subscriptions: publisher.subscriptionCount, compassProblem: publisher.sources?.compassProblem),
            internals: Self.administersService(userID)
                ? ServiceReport.Internals(deliveries: publisher.counts, memoryInUse: locationd_memory_in_use()) : nil)
    }

    /// True for the users who may administer the service: root, and the service's own user.
    package static func administersService(_ userID: UInt32) -> Bool { userID == 0 || userID == geteuid() }
}

// MARK: Decisions

extension Core {
    /// The user whose decisions a caller manages: its own or, for root, any.
    func managedUser(_ userID: Int?, _ connection: Connection) throws(Refusal) -> UInt32 {
        guard isTrusted(connection.peer) else {
            throw .notAManager(message: notListed(connection.peer))
        }
        guard let userID else { return connection.peer.userID }
        guard let user = UInt32(exactly: userID) else { throw .invalidParameter("userID") }
        guard user == connection.peer.userID || connection.peer.userID == 0 else { throw .permissionDenied }
        return user
    }

    /// Lists the clients declared for a user, and the undeclared ones that are connected or have decisions, in time
    /// slices. The lists that one user requests are made one after the other, since each takes memory.
    ///
    /// - Parameters:
    ///   - add: called for each client, in order; returns false if the rest is not needed.
    ///   - completion: called at the end, with an error if there is no list.
    package func listClients(
        of userID: Int?, _ connection: Connection,
        add: @escaping (ClientReport) -> Bool, completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let userID = try managedUser(userID, connection)
            connection.user.lists.perform { [self] end in
                queue.take(disk.lastAccess(of: userID)) { [self] result in
                    switch result {
                    case .success(let lastAccesses):
                        let clients = table.users[userID].map { Array($0.clients.values) } ?? []
                        let processes = Set(clients.flatMap { $0.connections.values.map(\.process) })
                        use.find(Array(processes)) { [self] in
                            list(userID, lastAccesses, for: connection.user, add: add) {
                                completion(nil)
                                end()
                            }
                        }
                    case .failure(let error):
                        completion(.unreadable(error))
                        end()
                    }
                }
            }
        }
    }

    private func list(
        _ userID: UInt32, _ lastAccesses: [String: Timestamp], for caller: User,
        add: @escaping (ClientReport) -> Bool, completion: @escaping () -> Void
    ) {
        let declared = directory.registry.declarations.values.filter { $0.match.users?.contains(userID) ?? true }
        let others = directory.undeclared(of: userID) + (table.users[userID].map { Array($0.clients.keys) } ?? [])
        var identifiers = Set(declared.map(\.identifier)).union(others).sorted()[...]
        share.repeating(for: caller.id) { [self] in
            guard let identifier = identifiers.popFirst() else {
                completion()
                return false
            }
            if let client = describe(identifier, userID, lastAccesses[identifier]), !add(client) { identifiers = [] }
            return true
        }
    }

    private func describe(
        _ identifier: String, _ userID: UInt32, _ lastAccess: Timestamp?
    ) -> ClientReport? {
        if let declaration = directory.declaration(named: identifier, of: table.users[userID]) {
            return describe(declaration, userID, lastAccess)
        }
        // A former client: its decisions are kept, but apply to no program.
        guard let record = directory.record(of: ClientKey(userID: userID, client: identifier)) else { return nil }
        var report = ClientReport(
            identifier, displayName: identifier, userID: userID,
            Authorization(status: .denied, accuracy: record.accuracy ?? .full))
        report.isQuiet = quiet.contains(ClientKey(userID: userID, client: identifier))
        return report
    }

    private func describe(
        _ declaration: ClientDeclaration, _ userID: UInt32, _ lastAccess: Timestamp?
    ) -> ClientReport {
        let key = ClientKey(userID: userID, client: declaration.identifier)
        let client = directory.known(declaration.identifier, of: userID)
        let evaluation = directory.evaluation(
            of: declaration, userID,
            AccessCircumstances(desktop: client?.connections.values.desktopLimit))
        var description = ClientReport(
            declaration.identifier, displayName: declaration.displayName, userID: userID, evaluation.authorization)
        description.file = declaration.file.isEmpty ? nil : declaration.file
        description.recipients = declaration.recipients
        description.maximumAuthorization = declaration.policy.maximumAuthorization
        description.maximumAccuracy = declaration.policy.maximumAccuracy
        description.application = client?.application ?? declaration.application
        description.isProvisional = evaluation.needsConfirmation
        description.isOnce = evaluation.statusRule == .allowedOnce
        let end = directory.authorization(of: declaration, userID).record.ending?.time
        description.reset = directory.reset(of: key)
        description.isUntilLogout = end?.isLogout ?? false
        description.until = description.isUntilLogout ? nil : end
        description.isConnected = client.map { !$0.connections.isEmpty } ?? false
        description.frontEnds = Set((client?.connections.values).map { $0.map(\.frontEnd.name) } ?? []).sorted()
        description.isInUse = client?.connections.values.contains { $0.process.isInUse } ?? false
        description.isQuiet = quiet.contains(key)
        description.conditions = publisher.conditions.conditionCount(of: key)
        description.watchesVisits = publisher.conditions.watchesVisits(key)
        description.lastAccess = [accesses.lastAccess(of: key), lastAccess].compactMap { $0 }.max()
        return description
    }

    /// Decides about a client on behalf of the user; calls `completion` once that is saved.
    package func decide(
        _ decision: ClientAuthorization.Decision, _ name: String, _ userID: Int?, _ connection: Connection,
        manner: DecisionOrigin.Manner = .command,
        completion: @escaping (Result<DecisionReport, Refusal>) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            try make(decision, name, userID, connection, manner: manner, completion: completion)
        }
    }

    func make(
        _ decision: ClientAuthorization.Decision, _ name: String, _ userID: Int?, _ connection: Connection,
        manner: DecisionOrigin.Manner, completion: @escaping (Result<DecisionReport, Refusal>) -> Void
    ) throws(Refusal) {
        let userID = try managedUser(userID, connection)
        let identifier = directory.identifier(named: name, of: userID)
        guard let declaration = directory.declarationForDecision(about: identifier, userID) else {
            throw .noSuchClient(name, among: directory.registry.declarations.keys)
        }
        guard !declaration.policy.isRestricted else {
            throw .restricted(client: name, file: declaration.file)
        }
        let client = directory.client(declaration, of: table.user(userID))
        let origin = DecisionOrigin(userID: connection.peer.userID, manner: manner, timestamp: disk.now())
        if case .allow(_, let end?) = decision, end <= rules.now { throw .invalidParameter("until") }
        authorizer.apply(.decide(decision), to: client, by: origin) { [self] unsaved in
            if let unsaved {
                completion(.failure(.notSaved(unsaved)))
            } else if decision == .reset {
                // If this cannot be saved, the entry is back after a restart, and the list shows it.
                if quiet.contains(client.key) { setQuiet(false, client.key, by: origin.userID) { _ in } }
                publisher.conditions.forget(client.key) { [self] error in
                    completion(error.map { .failure(.watchNotSaved($0)) } ?? .success(outcome(of: client)))
                }
            } else {
                completion(.success(outcome(of: client)))
            }
            directory.discardIfUnused(client)
        }
    }

    /// The client's authorization now, and the policy that limits the decision.
    private func outcome(of client: Client) -> DecisionReport {
        let evaluation = client.evaluation(isInUse: true)
        let file = client.declaration.file
        var limits: [DecisionReport.Limit] = []
        if client.authorization.record.grant != .denied {
            if directory.disabled.contains(nil) { limits.append(.servicesOffForMachine) }
            if directory.disabled.contains(client.key.userID) { limits.append(.servicesOffForUser) }
        }
        if evaluation.isGrantLowered, evaluation.ceilingRule == nil {
            limits.append(.maximumAuthorization(file: file))
        }
        if evaluation.isAccuracyLowered, evaluation.accuracyRule == .maximum {
            limits.append(.maximumAccuracy(file: file))
        }
        limits += evaluation.decisiveRules.map { rule in
            .rule(rule.id, client.user.rules.sentence(of: rule.id, client.declaration) ?? "")
        }
        return DecisionReport(authorization: evaluation.authorization, limits: limits)
    }

    /// Switches location services on or off, for a user or for everybody; calls `completion` once that is saved.
    package func setEnabled(
        _ isEnabled: Bool, forMachine isSystem: Bool, of userID: Int?, _ connection: Connection,
        completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let managed = try managedUser(userID, connection)
            guard !isSystem || Self.administersService(connection.peer.userID) else { throw .permissionDenied }
            let userID = isSystem ? nil : managed
            // Off takes effect before it is on disk, and lasts until the daemon exits even if saving fails; on does not.
            if !isEnabled { set(isEnabled: false, userID) }
            let number = directory.beginSwitch(userID)
            let origin = DecisionOrigin(userID: connection.peer.userID, manner: .command, timestamp: disk.now())
            queue.take(disk.setEnabled(isEnabled, userID, origin: origin)) { [self] result in
                let isLast = directory.endSwitch(number, userID)
                switch result {
                case .success:
                    if isEnabled, isLast { set(isEnabled: true, userID) }
                    // After those concerned have been notified.
                    queue.take { completion(nil) }
                case .failure(let error):
                    logger.error("A switch of location services could not be saved: \(error)")
                    completion(.notSaved(Unsaved(reason: error, isInForce: !isEnabled)))
                }
            }
        }
    }

    /// Lists the accesses to a user's location, the newest first.
    ///
    /// - Parameter gap: accesses of one client that are at most this many seconds apart count as one; `nil` for none that do.
    package func listAccess(
        of userID: Int?, client: String?, since: Timestamp?, joining gap: Int? = nil, limit: Int = 100,
        _ connection: Connection,
        completion: @escaping (Result<[AccessReport], Refusal>) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let userID = try managedUser(userID, connection)
            guard (1...1000).contains(limit) else { throw .invalidParameter("limit") }
            guard gap.map((1...86_400).contains) ?? true else { throw .invalidParameter("joining") }
            accesses.flush()
            let gap = gap.map { Duration.seconds($0) }
            queue.take(
                disk.history(of: userID, client: client, since: since, joining: gap, limit: limit)
            ) { [self] result in
                let declarations = directory.registry.declarations
                let report = { (session: AccessSession) in
                    AccessReport(session: session, recipients: declarations[session.key.client]?.recipients ?? [])
                }
                completion(result.map { $0.map(report) }.mapError { .unreadable($0) })
            }
        }
    }
}
