import LocationConfiguration
import LocationModel
import LocationPolicy
import NIOCore
import Pacing

/// Finds the client of a peer, and the decisions about each client of each user.
///
/// A client without state is discarded once it has disconnected. Confined to the event loop.
final class ClientDirectory {
    /// The interval of checking for clients whose temporary state has expired, such as a prompt budget.
    private static let expiryInterval = TimeAmount.seconds(60)

    private let table: ConnectionTable
    private let rules: RuleDirectory
    /// The declarations in force.
    private(set) var registry: ClientRegistry
    /// The directories of the declarations, for messages.
    private var directories: [String]
    /// True unless there may be further declarations; see ``LocationConfiguration/Configuration/areClientsKnown``.
    private var areDeclarationsKnown: Bool
    /// The decisions on disk, by user and client.
    private var records: [UInt32: [String: AuthorizationRecord]] = [:]
    /// The clients that are allowed until a logout.
    private(set) var untilLogout: Set<ClientKey> = []
    /// The keys of records that come from the desktop's own dialog.
    private var desktopAnswers: Set<ClientKey>
    /// The origins of the records.
    private var origins: [ClientKey: DecisionOrigin]
    /// Called for each decision that is noted.
    var onDecision: (ClientKey) -> Void = { _ in }
    /// The users whose location services are off; `nil` stands for everybody.
    private(set) var disabled: Set<UInt32?>
    /// True if they are off for everybody because the decisions were lost to damage, until an administrator decides.
    private(set) var isOffAfterDamage: Bool
    /// The disconnected clients with temporary state.
    private var expiring: [ClientKey: Client] = [:]
    private var timer: LoopTimer?
    private let queue: CoreQueue

    private var unverified = UnverifiedPrograms()
    /// The numbers of the latest unsaved switches of location services, by user; `nil` stands for everybody.
    private var switches: [UInt32?: Int] = [:]

    init(
        table: ConnectionTable, rules: RuleDirectory, configuration: Configuration,
        stored: DecisionStore.StoredState, queue: CoreQueue
    ) {
        self.queue = queue
        self.table = table
        self.rules = rules
        registry = ClientRegistry(configuration.clients)
        directories = configuration.daemon.clientDirectories ?? []
        areDeclarationsKnown = configuration.areClientsKnown
        for (key, record) in stored.records { records[key.userID, default: [:]][key.client] = record }
        desktopAnswers = stored.desktopAnswers
        origins = stored.origins
        disabled = stored.disabled
        isOffAfterDamage = stored.isOffAfterDamage
        rules.nextEnd = { [unowned self] in
            ending(before: nil).compactMap(\.authorization.record.ending?.time).filter { !$0.isLogout }.min()
        }
        untilLogout = Set(stored.records.filter { $1.ending?.time.isLogout == true }.keys)
        rules.awaitsLogout = { [unowned self] in !untilLogout.isEmpty }
        setRules(configuration)
    }

    private func setRules(_ configuration: Configuration) {
        rules.setConfigured(
            machine: configuration.daemon.defaultRules,
            declared: registry.declarations.values.flatMap(\.policy.rules))
    }

    /// Takes over the content of a database that took the place of the open one. Its grants count, and what restricted
    /// clients before stays in force. Returns the restrictions that it lacks.
    func adopt(_ stored: DecisionStore.StoredState) -> (
        records: [ClientKey: AuthorizationRecord], disabled: Set<UInt32?>
    ) {
        let before = records
        records = [:]
        for (key, record) in stored.records { set(record, of: key) }
        var lacking: [ClientKey: AuthorizationRecord] = [:]
        for (userID, records) in before {
            for (client, record) in records {
                let key = ClientKey(userID: userID, client: client)
                let found = self.record(of: key) ?? AuthorizationRecord()
                let restricted = found.restricted(by: record)
                guard restricted != found else { continue }
                set(restricted, of: key)
                lacking[key] = restricted
            }
        }
        desktopAnswers = stored.desktopAnswers.subtracting(lacking.keys)
        origins = stored.origins.filter { lacking[$0.key] == nil }
        let switches = disabled.subtracting(stored.disabled)
        disabled.formUnion(stored.disabled)
        isOffAfterDamage = stored.isOffAfterDamage
        return (lacking, switches)
    }

    /// Replaces the declarations.
    func setDeclarations(_ configuration: Configuration) {
        registry = ClientRegistry(configuration.clients)
        directories = configuration.daemon.clientDirectories ?? []
        areDeclarationsKnown = configuration.areClientsKnown
        setRules(configuration)
    }

    // MARK: Recognition

    /// The declaration of the client of a connection's peer, or the stand-in of an undeclared program.
    func declaration(of connection: Connection) throws(Refusal) -> ClientDeclaration {
        let peer = connection.peer
        switch registry.recognise(peer) {
        case .declared(let declaration): return declaration
        case .undeclared:
            if areDeclarationsKnown, let undeclared = connection.undeclared { return undeclared }
            if let line = unverified.line(for: peer) {
                queue.append(.reportUnverified(line, userID: peer.userID))
            }
            throw .notDeclared(peer, directories: directories)
        case .ambiguous(let declarations): throw .ambiguous(peer, declarations)
        }
    }

    /// The client of a connection's peer.
    func client(of connection: Connection) throws(Refusal) -> Client {
        if let known = connection.client { return known }
        let client = client(try declaration(of: connection), of: connection.user)
        connection.client = client
        client.connections[connection.id] = connection
        // A front end may ask about a client outside of an event.
        queue.take { [queue] in queue.append(.tellManagers(.clients, userID: client.key.userID)) }
        return client
    }

    /// Detaches a connection from its client, if it has one, and returns that.
    func detach(_ connection: Connection) -> Client? {
        guard let client = connection.client else { return nil }
        connection.client = nil
        client.connections[connection.id] = nil
        return client
    }

    /// Gives a client its reloaded declaration.
    func declare(_ client: Client, by declaration: ClientDeclaration) { client.declaration = declaration }

    /// The declaration with this identifier. For an undeclared program it is the stand-in that the program's front end made,
    /// or one made from the identifier; `nil` for any other identifier.
    func declaration(named identifier: String, of user: User?) -> ClientDeclaration? {
        if let declared = registry.declarations[identifier] { return declared }
        guard let program = UndeclaredProgram(identifier: identifier) else { return nil }
        return user?.clients[identifier]?.declaration ?? program.declaration()
    }

    /// The identifier of the client that a user names: that itself, or that of the only undeclared program with this name which is
    /// known of the user.
    func identifier(named name: String, of userID: UInt32) -> String {
        guard registry.declarations[name] == nil, UndeclaredProgram(identifier: name) == nil else { return name }
        let known = Set((table.users[userID]?.clients ?? [:]).keys).union((records[userID] ?? [:]).keys)
        let named = known.filter { UndeclaredProgram(identifier: $0)?.displayName == name }
        return named.count == 1 ? named.first ?? name : name
    }

    /// The declaration of a client that can be decided about: one that is declared, connected, has asked lately or was
    /// decided about before, or a program at a path.
    func declarationForDecision(about identifier: String, _ userID: UInt32) -> ClientDeclaration? {
        let key = ClientKey(userID: userID, client: identifier)
        let isKnown =
            registry.declarations[identifier] != nil || known(identifier, of: userID) != nil || record(of: key) != nil
        if !isKnown {
            guard case .executable? = UndeclaredProgram(identifier: identifier)?.evidence else { return nil }
        }
        return declaration(named: identifier, of: table.users[userID])
    }

    /// The client of a user with this declaration, created on first use.
    func client(_ declaration: ClientDeclaration, of user: User) -> Client {
        if let known = user.clients[declaration.identifier] { return known }
        let key = ClientKey(userID: user.id, client: declaration.identifier)
        let client = Client(
            key: key, user: user, declaration: declaration, authorization: authorization(of: declaration, user.id))
        user.clients[declaration.identifier] = client
        if client.authorization.record.ending != nil { rules.update() }
        return client
    }

    /// The authorization of a user's client, connected or not.
    func authorization(of declaration: ClientDeclaration, _ userID: UInt32) -> ClientAuthorization {
        if let client = known(declaration.identifier, of: userID) { return client.authorization }
        let key = ClientKey(userID: userID, client: declaration.identifier)
        return ClientAuthorization(
            record: currentRecord(of: key), circumstances: circumstances(of: declaration, userID))
    }

    /// The evaluation of the access of a user's client to the newest location, connected or not.
    func evaluation(
        of declaration: ClientDeclaration, _ userID: UInt32, _ circumstances: AccessCircumstances
    ) -> AccessEvaluation {
        var circumstances = circumstances
        circumstances.surroundings = rules.rules(of: userID).surroundings(at: nil)
        return authorization(of: declaration, userID).evaluate(circumstances)
    }

    /// The client of a user, if it has state in memory.
    func known(_ identifier: String, of userID: UInt32) -> Client? { table.users[userID]?.clients[identifier] }

    /// The current circumstances of a client.
    func circumstances(of declaration: ClientDeclaration, _ userID: UInt32) -> ClientAuthorization.Circumstances {
        .init(
            declaration: declaration, isEnabledForMachine: !disabled.contains(nil),
            isEnabledForUser: !disabled.contains(userID), rules: rules.rules(of: userID).rules)
    }

    /// The refusal for a connection that no longer belongs to this client, because the declarations have changed; `nil`
    /// if it still does.
    func refusalIfRedeclared(_ connection: Connection, _ client: Client) -> Refusal? {
        do throws(Refusal) {
            let now = try declaration(of: connection)
            return now.identifier == client.key.client
                ? nil : .redeclared(now, authorization(of: now, connection.user.id).authorization.status)
        } catch {
            return error
        }
    }

    // MARK: Decisions

    /// Records that the disk has this record of a client.
    func note(_ record: AuthorizationRecord, of key: ClientKey, by origin: DecisionOrigin) {
        if origin.manner == .desktop { desktopAnswers.insert(key) } else { desktopAnswers.remove(key) }
        origins[key] = origin
        set(record == AuthorizationRecord() ? nil : record, of: key)
        onDecision(key)
    }

    /// Records that the disk has no record of a client any more, because newer ones took its place.
    func forget(_ key: ClientKey) {
        desktopAnswers.remove(key)
        origins[key] = nil
        set(nil, of: key)
    }

    /// The decisions about a client that are on disk, as they count now.
    func currentRecord(of key: ClientKey) -> AuthorizationRecord {
        (record(of: key) ?? AuthorizationRecord()).current(at: rules.now)
    }

    /// The clients in memory whose decision ends, up to a time; `nil` for all of them. What ends of others is noticed when it is
    /// read.
    func ending(before time: Timestamp?) -> [Client] {
        table.users.values.flatMap(\.clients.values).filter { client in
            guard let ending = client.authorization.record.ending else { return false }
            return time.map { ending.time <= $0 } ?? true
        }
    }

    /// Waits for the next end of a decision, which may be another one now.
    func endingChanged() { rules.update() }

    /// The origin of the last decision about a client that is on disk; `nil` without one.
    func origin(of key: ClientKey) -> DecisionOrigin? { origins[key] }

    /// The reset of a client's unused permission; `nil` unless that was the last decision about it.
    func reset(of key: ClientKey) -> ClientReport.Reset? {
        guard let origin = origins[key], let level = origin.manner.resetLevel else { return nil }
        return ClientReport.Reset(time: origin.timestamp, level: level)
    }

    /// The clients with a permission that lasts.
    var permitted: [ClientKey] {
        records.flatMap { userID, records in
            records.compactMap { client, record in
                record.allowsForGood ? ClientKey(userID: userID, client: client) : nil
            }
        }
    }

    /// The decisions about a client that are on disk.
    func record(of key: ClientKey) -> AuthorizationRecord? { records[key.userID]?[key.client] }

    private func set(_ record: AuthorizationRecord?, of key: ClientKey) {
        let wasAwaited = !untilLogout.isEmpty
        if record?.ending?.time.isLogout == true { untilLogout.insert(key) } else { untilLogout.remove(key) }
        if wasAwaited == untilLogout.isEmpty { rules.update() }
        records[key.userID, default: [:]][key.client] = record
        if records[key.userID]?.isEmpty == true { records[key.userID] = nil }
    }

    /// The clients of a user with decisions but without a declaration.
    func undeclared(of userID: UInt32) -> [String] {
        (records[userID] ?? [:]).keys.filter { registry.declarations[$0] == nil }
    }

    /// True if the last decision about a client came from the desktop's own dialog. The desktop is then asked again,
    /// because its settings may have changed.
    func isAnsweredByDesktop(_ key: ClientKey) -> Bool { desktopAnswers.contains(key) }

    /// Switches location services on or off, for a user or with `nil` for everybody. Returns the affected clients.
    func set(isEnabled: Bool, _ userID: UInt32?) -> [Client] {
        let isChanged = isEnabled ? disabled.remove(userID) != nil : disabled.insert(userID).inserted
        if userID == nil { isOffAfterDamage = false }
        guard isChanged else { return [] }
        let users = userID.map { table.users[$0].map { [$0] } ?? [] } ?? Array(table.users.values)
        return users.flatMap { $0.clients.values }
    }

    // MARK: Forgetting

    /// Discards a disconnected client, now or when its temporary state has expired.
    func discardIfUnused(_ client: Client) {
        guard client.connections.isEmpty else { return }
        if client.isUnused(at: .now) {
            discard(client)
        } else {
            expiring[client.key] = client
            scheduleExpiry()
        }
    }

    /// Discards a client. Its decisions stay on disk.
    func discard(_ client: Client) {
        expiring[client.key] = nil
        if client.user.clients[client.key.client] === client { client.user.clients[client.key.client] = nil }
        table.discardIfUnused(client.user)
    }

    /// Cancels the timer.
    func shutdown() { timer?.cancel() }

    private func scheduleExpiry() {
        guard timer == nil else { return }
        timer = queue.makeTimer(in: Self.expiryInterval) { [weak self] in
            self?.timer = nil
            self?.discardExpired()
        }
    }

    private func discardExpired() {
        for client in expiring.values {
            // A client that has reconnected is checked when it disconnects.
            if !client.connections.isEmpty { expiring[client.key] = nil }
            if client.isUnused(at: .now) { discard(client) }
        }
        if !expiring.isEmpty { scheduleExpiry() }
    }
}

// MARK: Switches of location services

extension ClientDirectory {
    /// Begins to save a switch of location services for a user, or with `nil` for everybody. Pass the result to
    /// ``endSwitch(_:_:)``.
    func beginSwitch(_ userID: UInt32?) -> Int {
        switches[userID, default: 0] += 1
        return switches[userID, default: 0]
    }

    /// Ends the save of a switch. Returns false if a later one is in force already, or will be.
    func endSwitch(_ number: Int, _ userID: UInt32?) -> Bool {
        guard number == switches[userID] else { return false }
        switches[userID] = nil
        return true
    }
}
