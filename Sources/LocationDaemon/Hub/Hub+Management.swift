import CSystemd
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import Logging
import NIOCore
import Varlink

// Looking after the service, and deciding by command.

// MARK: The service

extension Hub {
    /// The state of the service, as much of it as a user may see.
    func status(for user: UInt32) -> ManagerInterface.GetServiceStatus.Reply {
        ManagerInterface.GetServiceStatus.Reply(
            version: serviceVersion,
            source: source.map { ManagerInterface.Source($0.status) } ?? ManagerInterface.noSource,
            isLocationAvailable: freshLocation != nil,
            isEnabled: !disabled.contains(nil),
            isEnabledForUser: !disabled.contains(user),
            hasAgent: agents.contains { $0.session.peer.userID == user && $0.fallbackFor == nil },
            connections: sessions.count,
            subscriptions: subscriptions.count,
            clients: registry.declarations.count,
            deliveries: Session.runsService(user) ? ManagerInterface.Deliveries(deliveries) : nil,
            memoryInUse: Session.runsService(user) ? locationd_memory_in_use() : nil,
            problems: configuration.problems.map(ManagerInterface.ConfigurationProblem.init))
    }

    /// Reads the configuration again for a caller who may.
    func reload(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        guard session.isServiceOwn else { throw .permissionDenied }
        call.reply(ManagerInterface.Reload.Reply(problems: reload().map(ManagerInterface.ConfigurationProblem.init)))
    }

    /// Reads the configuration again. What is refused leaves what was there in force.
    func reload() -> [ConfigurationProblem] {
        do {
            let before = configuration.daemon
            configuration = try loadConfiguration(configuration)
            registry = ClientRegistry(configuration.clients)
            identification.namedExecutables = configuration.namedExecutables
            reauthorizeAll()
            applySettings(insteadOf: before)
        } catch {
            logger.error("The configuration could not be read again: \(error)")
        }
        reportProblems()
        return configuration.problems
    }

    /// Puts into force what the daemon's own file says and nobody looks up when it is needed.
    private func applySettings(insteadOf before: DaemonConfiguration) {
        let now = configuration.daemon
        // Connections that are open keep the limits they were made with.
        server?.limits = ServerLimits(now.limits)
        for user in connectedUsers.values { user.account.limit = now.limits.bytesPerUser }
        if (now.gpsd, now.preferredDevice) != (before.gpsd, before.preferredDevice), let makeSource {
            let source = makeSource(now)
            let device = now.preferredDevice.map { ", from \($0) while it works" } ?? ""
            logger.notice("Locations come from \(source.status.endpoint)\(device) from now on.")
            replaceSource(by: source)
        }
    }

    /// Says in the log what was refused.
    func reportProblems() {
        for problem in configuration.problems {
            logger.error("Refused: \(problem)", metadata: JournalMessage.refused.metadata)
        }
    }
}

extension Session {
    /// Whether it is of root or of the service's own user, who look after the service.
    fileprivate var isServiceOwn: Bool { Self.runsService(peer.userID) }

    fileprivate static func runsService(_ user: UInt32) -> Bool { user == 0 || user == geteuid() }
}

// MARK: Decisions

extension Hub {
    /// Whose decisions a caller manages: its own user's or, for root, the one it names.
    func managedUser(_ userID: Int?, _ session: Session) throws(VarlinkError) -> UInt32 {
        guard isTrusted(session.peer) else {
            throw .locationd(ManagerInterface.NotAManager(message: notListed(session.peer)))
        }
        guard let userID else { return session.peer.userID }
        guard let user = UInt32(exactly: userID) else { throw .invalidParameter("userID") }
        guard user == session.peer.userID || session.peer.userID == 0 else { throw .permissionDenied }
        return user
    }

    /// Lists the clients that are declared, or that the user has decided about.
    func listClients(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        let parameters = try call.parameters(as: ManagerInterface.ListClients.Parameters.self)
        let user = try managedUser(parameters.userID, session)
        decisions.lastAccess(of: user, on: eventLoop).assumeIsolated().whenComplete { [weak self] result in
            self?.assumeIsolated { hub in
                switch result {
                case .success(let lastAccesses):
                    let processes = Set(hub.sessions.values.filter { $0.peer.userID == user }.map(\.process))
                    hub.findUse(of: processes) {
                        hub.assumeIsolated { call.reply($0.list(user, lastAccesses)) }
                    }
                case .failure(let error): call.fail(.unreadable(error))
                }
            }
        }
    }

    private func list(_ user: UInt32, _ lastAccesses: [String: Timestamp]) -> ManagerInterface.ListClients.Reply {
        var list = registry.declarations.values
            .filter { $0.match.users?.contains(user) ?? true }
            .map { describe($0, user, lastAccesses[$0.identifier]) }
        for (key, record) in records where key.userID == user && registry.declarations[key.client] == nil {
            // Not declared any more: what was decided is kept, but nothing matches it.
            let accuracy = record.accuracy ?? .full
            list.append(
                ManagerInterface.Client(
                    client: key.client, displayName: key.client, userID: Int(user), status: .denied, accuracy: accuracy)
            )
        }
        return ManagerInterface.ListClients.Reply(clients: list.sorted { $0.client < $1.client })
    }

    private func describe(
        _ declaration: ClientDeclaration, _ user: UInt32, _ lastAccess: Timestamp?
    ) -> ManagerInterface.Client {
        let client = client(declaration, of: user)
        let now = client.authorization.authorization
        var description = ManagerInterface.Client(
            client: declaration.identifier, displayName: declaration.displayName, userID: Int(user),
            status: now.status, accuracy: now.accuracy)
        description.file = declaration.file
        description.isConnected = !client.sessions.isEmpty
        description.isInUse = client.sessions.values.contains { isInUse($0) }
        description.lastAccess = [accesses[client.key]?.end, lastAccess].compactMap { $0 }.max()
        return description
    }

    /// Decides for the user whether a client may know.
    func setAuthorization(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        let parameters = try call.parameters(as: ManagerInterface.SetAuthorization.Parameters.self)
        let decision: ClientAuthorization.Decision =
            switch parameters.authorization {
            case .notDetermined: .reset
            case .denied: .deny
            case .authorizedWhenInUse: .allow(.whenInUse)
            case .authorizedAlways: .allow(.always)
            }
        try decide(decision, parameters.client, parameters.userID, call, session)
    }

    /// Decides for the user how exactly a client may know.
    func setAccuracy(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        let parameters = try call.parameters(as: ManagerInterface.SetAccuracy.Parameters.self)
        try decide(.accuracy(parameters.accuracy), parameters.client, parameters.userID, call, session)
    }

    private func decide(
        _ decision: ClientAuthorization.Decision, _ name: String, _ userID: Int?, _ call: ServerCall,
        _ session: Session
    ) throws(VarlinkError) {
        let user = try managedUser(userID, session)
        guard let declaration = registry.declarations[name] else {
            throw .locationd(ManagerInterface.NoSuchClient(client: name))
        }
        guard !declaration.policy.isRestricted else {
            throw .locationd(ManagerInterface.Restricted(client: name, file: declaration.file))
        }
        let client = client(declaration, of: user)
        let origin = DecisionOrigin(userID: session.peer.userID, manner: .command, timestamp: decisions.now())
        apply(.decide(decision), to: client, by: origin) { [weak self] unsaved in
            if let unsaved { return call.fail(.notSaved(unsaved)) }
            self?.assumeIsolated { call.reply($0.outcome(of: client)) }
        }
    }

    /// What a client may have now, and what keeps that below what was decided.
    private func outcome(of client: Client) -> ManagerInterface.Outcome {
        let now = client.authorization.authorization
        let record = client.authorization.record
        let policy = client.declaration.policy
        var limits: [ManagerInterface.Limit] = []
        if record.grant != .denied {
            if disabled.contains(nil) { limits.append(.init(reason: .servicesOffForMachine)) }
            if disabled.contains(client.key.userID) { limits.append(.init(reason: .servicesOffForUser)) }
        }
        if record.grant == .always || record.grant == .provisionalAlways, policy.maximumAuthorization == .whenInUse {
            limits.append(.init(reason: .maximumAuthorization, file: client.declaration.file))
        }
        if record.accuracy == .full, policy.maximumAccuracy == .reduced {
            limits.append(.init(reason: .maximumAccuracy, file: client.declaration.file))
        }
        return ManagerInterface.Outcome(status: now.status, accuracy: now.accuracy, limits: limits)
    }

    /// Switches location services on or off, for a user or for everybody.
    func setEnabled(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        let parameters = try call.parameters(as: ManagerInterface.SetEnabled.Parameters.self)
        let isSystem = parameters.isSystem ?? false
        let managed = try managedUser(parameters.userID, session)
        guard !isSystem || session.peer.userID == 0 else { throw .permissionDenied }
        let user = isSystem ? nil : managed
        // Off takes effect before it is on disk, and until the daemon ends even if it never gets there; on does not.
        if !parameters.isEnabled { set(isEnabled: false, user) }
        let origin = DecisionOrigin(userID: session.peer.userID, manner: .command, timestamp: decisions.now())
        decisions.setEnabled(parameters.isEnabled, user, origin: origin, on: eventLoop).assumeIsolated().whenComplete {
            [weak self] result in
            self?.assumeIsolated { hub in
                switch result {
                case .success:
                    hub.set(isEnabled: parameters.isEnabled, user)
                    call.reply()
                case .failure(let error):
                    hub.logger.error("A switch of location services could not be saved: \(error)")
                    call.fail(.notSaved(Unsaved(reason: error, isInForce: !parameters.isEnabled)))
                }
            }
        }
    }

    private func set(isEnabled: Bool, _ user: UInt32?) {
        if isEnabled { disabled.remove(user) } else { disabled.insert(user) }
        reauthorizeAll()
    }
}
