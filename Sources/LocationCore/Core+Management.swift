import CSystemd
import Glibc
import LocationConfiguration
package import LocationInterface
import LocationModel
package import LocationPolicy
import LocationSources
import LocationStore
import Logging
import NIOCore

// The management of the service, and decisions by command.

// MARK: The service

extension Core {
    /// The status of the service, as far as a peer may see it.
    ///
    /// Receivers, their fixes and connected clients reveal where and when a user may be. They are shown to managers, to
    /// authorized clients, and to administrators of the service.
    package func status(
        for peer: PeerIdentity, _ parameters: ManagerInterface.GetServiceStatus.Parameters = .init()
    ) -> ManagerInterface.GetServiceStatus.Reply {
        var full = status(for: peer.userID)
        if parameters.satellites == true, let receivers = publisher.status?.receivers {
            for (index, receiver) in receivers.enumerated() {
                full.source.receivers[index].satellites = receiver.satellites.map {
                    ManagerInterface.Satellite(number: $0.number, isUsed: $0.isUsed, signal: $0.signal)
                }
            }
        }
        if Self.administersService(peer.userID) || isTrusted(peer) || isAuthorized(peer) { return full }
        var bare = full
        bare.source = ManagerInterface.Source(
            name: full.source.name, state: full.source.state, version: nil, problem: nil, receivers: [], counters: [:])
        (bare.isLocationAvailable, bare.connections, bare.subscriptions) = (nil, nil, nil)
        bare.problems = []
        return bare
    }

    /// The full status of the service for a user.
    package func status(for userID: UInt32) -> ManagerInterface.GetServiceStatus.Reply {
        let administersService = Self.administersService(userID)
        var reply = ManagerInterface.GetServiceStatus.Reply(
            version: serviceVersion,
            source: publisher.status.map { ManagerInterface.Source($0) } ?? ManagerInterface.noSource,
            isLocationAvailable: publisher.fresh != nil,
            isEnabled: !directory.disabled.contains(nil),
            isEnabledForUser: !directory.disabled.contains(userID),
            hasAgent: (table.users[userID]?.board.agentCount ?? 0) > 0,
            connections: table.count,
            subscriptions: publisher.subscriptionCount,
            clients: directory.registry.declarations.count,
            deliveries: administersService ? ManagerInterface.Deliveries(publisher.counts) : nil,
            memoryInUse: administersService ? locationd_memory_in_use() : nil,
            problems: configuration.problems.map(ManagerInterface.ConfigurationProblem.init))
        let others = frontEnds.compactMap(\.status).map {
            ManagerInterface.FrontEnd(name: $0.kind.name, problem: $0.problem)
        }
        reply.frontEnds = others.isEmpty ? nil : others
        reply.isOffAfterDamage = directory.isOffAfterDamage ? true : nil
        return reply
    }

    /// True if a peer is an authorized client.
    private func isAuthorized(_ peer: PeerIdentity) -> Bool {
        guard case .declared(let declaration) = directory.registry.recognise(peer) else { return false }
        switch directory.authorization(of: declaration, peer.userID).authorization.status {
        case .authorizedWhenInUse, .authorizedAlways: return true
        case .notDetermined, .restricted, .denied: return false
        }
    }

    /// True for the users who may administer the service: root, and the service's own user.
    package static func administersService(_ userID: UInt32) -> Bool { userID == 0 || userID == geteuid() }
}

// MARK: Decisions

extension Core {
    /// The user whose decisions a caller manages: its own or, for root, any.
    func managedUser(_ userID: Int?, _ connection: Connection) throws(Refusal) -> UInt32 {
        guard isTrusted(connection.peer) else {
            throw .error(ManagerInterface.NotAManager(message: notListed(connection.peer)))
        }
        guard let userID else { return connection.peer.userID }
        guard let user = UInt32(exactly: userID) else { throw .invalidParameter("userID") }
        guard user == connection.peer.userID || connection.peer.userID == 0 else { throw .permissionDenied }
        return user
    }

    /// Lists the clients declared for a user, and the undeclared ones that are connected or have decisions, in time
    /// slices. The lists that one user asks for are made one after the other, since each takes memory.
    ///
    /// - Parameters:
    ///   - add: called for each client, in order; returns false if the rest is not needed.
    ///   - completion: called at the end, with an error if there is no list.
    package func listClients(
        _ parameters: ManagerInterface.ListClients.Parameters, _ connection: Connection,
        add: @escaping (ManagerInterface.Client) -> Bool, completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        let userID = try managedUser(parameters.userID, connection)
        connection.user.lists.perform { [self] end in
            disk.lastAccess(of: userID, on: eventLoop).assumeIsolated().whenComplete { [self] result in
                switch result {
                case .success(let lastAccesses):
                    let clients = table.users[userID].map { Array($0.clients.values) } ?? []
                    let processes = clients.flatMap { $0.connections.values.map(\.process) }
                    let distinct = Dictionary(processes.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { $1 })
                    use.find(Array(distinct.values)) { [self] in
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

    private func list(
        _ userID: UInt32, _ lastAccesses: [String: Timestamp], for caller: User,
        add: @escaping (ManagerInterface.Client) -> Bool, completion: @escaping () -> Void
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
    ) -> ManagerInterface.Client? {
        if let declaration = directory.declaration(named: identifier, of: table.users[userID]) {
            return describe(declaration, userID, lastAccess)
        }
        // A former client: its decisions are kept, but apply to no program.
        guard let record = directory.record(of: ClientKey(userID: userID, client: identifier)) else { return nil }
        return ManagerInterface.Client(
            client: identifier, displayName: identifier, userID: Int(userID), status: .denied,
            accuracy: record.accuracy ?? .full)
    }

    private func describe(
        _ declaration: ClientDeclaration, _ userID: UInt32, _ lastAccess: Timestamp?
    ) -> ManagerInterface.Client {
        let evaluation = directory.authorization(of: declaration, userID).evaluate(isInUse: false)
        let now = evaluation.authorization
        let client = directory.known(declaration.identifier, of: userID)
        var description = ManagerInterface.Client(
            client: declaration.identifier, displayName: declaration.displayName, userID: Int(userID),
            status: now.status, accuracy: now.accuracy)
        description.file = declaration.file.isEmpty ? nil : declaration.file
        description.isProvisional = evaluation.needsConfirmation ? true : nil
        description.isConnected = client.map { !$0.connections.isEmpty } ?? false
        let frontEnds = Set((client?.connections.values).map { $0.map(\.frontEnd.name) } ?? [])
        description.frontEnds = frontEnds.isEmpty ? nil : frontEnds.sorted()
        description.isInUse = client?.connections.values.contains { $0.process.isInUse } ?? false
        let key = ClientKey(userID: userID, client: declaration.identifier)
        description.lastAccess = [accesses.lastAccess(of: key), lastAccess].compactMap { $0 }.max()
        return description
    }

    /// Decides about a client on behalf of the user; calls `completion` once that is saved.
    package func decide(
        _ decision: ClientAuthorization.Decision, _ name: String, _ userID: Int?, _ connection: Connection,
        manner: DecisionOrigin.Manner = .command,
        completion: @escaping (Result<ManagerInterface.Outcome, Refusal>) -> Void
    ) throws(Refusal) {
        let userID = try managedUser(userID, connection)
        guard let declaration = directory.declarationForDecision(about: name, userID) else {
            throw .noSuchClient(name, among: directory.registry.declarations.keys)
        }
        guard !declaration.policy.isRestricted else {
            throw .error(ManagerInterface.Restricted(client: name, file: declaration.file))
        }
        let client = directory.client(declaration, of: table.user(userID))
        let origin = DecisionOrigin(userID: connection.peer.userID, manner: manner, timestamp: disk.now())
        authorizer.apply(.decide(decision), to: client, by: origin) { [self] unsaved in
            completion(unsaved.map { .failure(.notSaved($0)) } ?? .success(outcome(of: client)))
            directory.discardIfUnused(client)
        }
    }

    /// The client's authorization now, and the policy that limits the decision.
    private func outcome(of client: Client) -> ManagerInterface.Outcome {
        let evaluation = client.evaluation(isInUse: true)
        let file = client.declaration.file
        var limits: [ManagerInterface.Limit] = []
        if client.authorization.record.grant != .denied {
            if directory.disabled.contains(nil) { limits.append(.init(reason: .servicesOffForMachine)) }
            if directory.disabled.contains(client.key.userID) { limits.append(.init(reason: .servicesOffForUser)) }
        }
        if evaluation.isGrantLowered { limits.append(.init(reason: .maximumAuthorization, file: file)) }
        if evaluation.isAccuracyLowered { limits.append(.init(reason: .maximumAccuracy, file: file)) }
        let now = evaluation.authorization
        return ManagerInterface.Outcome(status: now.status, accuracy: now.accuracy, limits: limits)
    }

    /// Switches location services on or off, for a user or for everybody; calls `completion` once that is saved.
    package func setEnabled(
        _ parameters: ManagerInterface.SetEnabled.Parameters, _ connection: Connection,
        completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        let isSystem = parameters.isSystem ?? false
        let managed = try managedUser(parameters.userID, connection)
        guard !isSystem || Self.administersService(connection.peer.userID) else { throw .permissionDenied }
        let userID = isSystem ? nil : managed
        // Off takes effect before it is on disk, and lasts until the daemon exits even if saving fails; on does not.
        if !parameters.isEnabled { set(isEnabled: false, userID) }
        switches[userID, default: 0] += 1
        let number = switches[userID]
        let origin = DecisionOrigin(userID: connection.peer.userID, manner: .command, timestamp: disk.now())
        disk.setEnabled(parameters.isEnabled, userID, origin: origin, on: eventLoop).assumeIsolated().whenComplete {
            [self] result in
            // A later switch is in force already, or will be.
            let isLast = number == switches[userID]
            if isLast { switches[userID] = nil }
            switch result {
            case .success:
                if parameters.isEnabled, isLast { set(isEnabled: true, userID) }
                completion(nil)
            case .failure(let error):
                logger.error("A switch of location services could not be saved: \(error)")
                completion(.notSaved(Unsaved(reason: error, isInForce: !parameters.isEnabled)))
            }
        }
    }

    /// Lists the accesses to a user's location, the newest first.
    package func listAccess(
        _ parameters: ManagerInterface.ListAccess.Parameters, _ connection: Connection,
        completion: @escaping (Result<ManagerInterface.ListAccess.Reply, Refusal>) -> Void
    ) throws(Refusal) {
        let userID = try managedUser(parameters.userID, connection)
        guard (1...1000).contains(parameters.limit ?? 1) else { throw .invalidParameter("limit") }
        accesses.flush()
        disk.history(
            of: userID, client: parameters.client, since: parameters.since, limit: parameters.limit ?? 100,
            on: eventLoop
        ).assumeIsolated().whenComplete { result in
            completion(
                result.map { ManagerInterface.ListAccess.Reply(sessions: $0.map(ManagerInterface.Access.init)) }
                    .mapError { .unreadable($0) })
        }
    }
}

extension ManagerInterface.Access {
    fileprivate init(_ session: AccessSession) {
        self.init(
            client: session.key.client, userID: Int(session.key.userID), from: session.start, to: session.end,
            count: session.count, accuracy: session.accuracy, finestAccuracy: session.finestRadius)
        frontEnd = session.frontEnd
    }
}
