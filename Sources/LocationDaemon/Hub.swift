import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import Logging
import NIOCore
import Varlink

/// Where locations meet those who may know them.
///
/// It lives on one event loop, together with the source and all connections: what the source reports is written to
/// every subscriber before anything else happens, and between a decision and its effect there is no moment in which a
/// location could slip through. That is also why nothing here is `async`.
actor Hub {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    let logger: Logger
    /// Reads the configuration, given what is in force.
    private let loadConfiguration: @Sendable (Configuration?) throws -> Configuration
    private(set) var configuration: Configuration
    private(set) var registry: ClientRegistry
    private var source: (any LocationSource)?

    /// The newest location while the source has one; `nil` once it went stale.
    private(set) var current: (location: Location, arrival: NIODeadline)?
    /// Why there is none, if the source has said so since the last one.
    private var unavailability: UnavailableReason?
    /// The authorizations of the clients that have connected since the start.
    private var authorizations: [ClientKey: ClientAuthorization] = [:]
    private(set) var subscriptions: [ObjectIdentifier: Subscription] = [:]
    private(set) var requests: [ObjectIdentifier: LocationRequest] = [:]
    private(set) var connectionsPerUser: [UInt32: Int] = [:]

    init(
        eventLoop: any EventLoop, logger: Logger,
        loadConfiguration: @escaping @Sendable (Configuration?) throws -> Configuration
    ) throws {
        self.eventLoop = eventLoop
        self.logger = logger
        self.loadConfiguration = loadConfiguration
        configuration = try loadConfiguration(nil)
        registry = ClientRegistry(configuration.clients)
    }
}

// MARK: Connections

extension Hub {
    /// Counts a connection of `user`, or says why it may not have another.
    func openConnection(of user: UInt32) -> VarlinkError? {
        let limit = configuration.daemon.limits.connectionsPerUser
        guard connectionsPerUser[user, default: 0] < limit else {
            return .locationd(LocationInterface.LimitExceeded(limit: "ConnectionsPerUser", value: limit))
        }
        connectionsPerUser[user, default: 0] += 1
        return nil
    }

    /// Forgets a connection of `user`.
    func closeConnection(of user: UInt32) {
        guard let count = connectionsPerUser[user] else { return }
        connectionsPerUser[user] = count > 1 ? count - 1 : nil
    }
}

// MARK: What the source reports

extension Hub {
    /// Sets where locations come from.
    func attach(_ source: any LocationSource) {
        self.source = source
        updateNeed()
    }

    /// Passes on what the source reports.
    func receive(_ event: SourceEvent) {
        switch event {
        case .location(let location): publish(location)
        case .heading(let heading): publish(heading)
        case .unavailable(let reason): publishUnavailable(reason)
        }
    }

    private func publish(_ location: Location) {
        current = (location, .now())
        unavailability = nil
        // Encoded once for all.
        if !subscriptions.isEmpty, let encoded = encode(.init(location: location)) {
            for subscription in subscriptions.values {
                subscription.offer(location, encoded: encoded)
            }
        }
        for (id, request) in requests where request.offer(location) {
            finish(id)
        }
    }

    private func publish(_ heading: Heading) {
        guard subscriptions.values.contains(where: \.wantsHeading), let encoded = encode(.init(heading: heading)) else {
            return
        }
        for subscription in subscriptions.values {
            subscription.offer(heading: encoded)
        }
    }

    private func encode(_ reply: LocationInterface.Subscribe.Reply) -> EncodedReply? {
        do {
            return try EncodedReply(reply, continues: true)
        } catch {
            // A source that reports what is no number: a mistake of ours, for sources check.
            logger.error("What the source reported could not be passed on: it is not a number.")
            return nil
        }
    }

    private func publishUnavailable(_ reason: UnavailableReason) {
        current = nil
        unavailability = reason
        for subscription in subscriptions.values {
            subscription.tellUnavailable()
        }
    }

    /// The source works only while somebody waits for a location and may have it.
    private func updateNeed() {
        let isNeeded = !requests.isEmpty || subscriptions.values.contains { $0.access == .permitted(.full) }
        if !isNeeded { unavailability = nil }
        source?.setNeeded(isNeeded)
    }
}

// MARK: Subscriptions and requests

extension Hub {
    /// How long a location may be kept for the next request while nobody watches the source: about as long as the
    /// source itself takes to call a receiver of one fix a second silent.
    private static let unwatchedLifetime = TimeAmount.seconds(3)

    /// Opens a subscription.
    func subscribe(_ call: ServerCall, peer: PeerIdentity) throws(VarlinkError) {
        try call.requireMore()
        let parameters = try call.parameters(as: LocationInterface.Subscribe.Parameters.self)
        try check(parameters.distanceFilter, "distanceFilter") { $0 >= 0 && $0 <= 1e8 }
        try check(parameters.desiredAccuracy, "desiredAccuracy") { $0 > 0 && $0 <= 1e8 }
        let client = try declaration(of: peer)
        let limit = configuration.daemon.limits.subscriptionsPerUser
        guard subscriptions.values.count(where: { $0.peer.userID == peer.userID }) < limit else {
            throw .locationd(LocationInterface.LimitExceeded(limit: "SubscriptionsPerUser", value: limit))
        }
        let subscription = Subscription(call: call, peer: peer, parameters: parameters)
        let id = ObjectIdentifier(call)
        subscriptions[id] = subscription
        call.onCancel = { [weak self] in self?.assumeIsolated { $0.unsubscribe(id) } }
        call.onWritable = { [weak self] in
            self?.assumeIsolated { $0.subscriptions[id]?.catchUp(with: $0.current?.location) }
        }
        authorize(subscription, as: client)
        // First what is known, then the need: a source that was idle must not tell a subscriber its last fix as new.
        if let location = freshLocation, let encoded = encode(.init(location: location)) {
            subscription.offer(location, encoded: encoded)
        } else if unavailability != nil {
            subscription.tellUnavailable()
        }
        updateNeed()
    }

    private func unsubscribe(_ id: ObjectIdentifier) {
        subscriptions[id] = nil
        updateNeed()
    }

    /// Answers with a location, now or when one comes.
    func getLocation(_ call: ServerCall, peer: PeerIdentity) throws(VarlinkError) {
        let parameters = try call.parameters(as: LocationInterface.GetLocation.Parameters.self)
        try check(parameters.timeout, "timeout") { $0 > 0 && $0 <= 3600 }
        try check(parameters.desiredAccuracy, "desiredAccuracy") { $0 > 0 && $0 <= 1e8 }
        let client = try declaration(of: peer)
        try requireAccess(of: client, peer)
        let request = LocationRequest(call: call, peer: peer, desiredAccuracy: parameters.desiredAccuracy ?? .infinity)
        if let location = freshLocation, request.offer(location) { return }
        let id = ObjectIdentifier(call)
        requests[id] = request
        call.onCancel = { [weak self] in self?.assumeIsolated { $0.finish(id) } }
        let timeout = TimeAmount.nanoseconds(Int64((parameters.timeout ?? 30) * 1e9))
        request.timer = eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            self?.assumeIsolated { $0.giveUp(id) }
        }
        updateNeed()
    }

    private func giveUp(_ id: ObjectIdentifier) {
        requests[id]?.giveUp(reason: (unavailability ?? .silent).sentence)
        finish(id)
    }

    private func finish(_ id: ObjectIdentifier) {
        requests.removeValue(forKey: id)?.timer?.cancel()
        updateNeed()
    }

    /// The newest location, unless it went stale.
    private var freshLocation: Location? {
        guard let current else { return nil }
        let isWatched = !subscriptions.isEmpty || !requests.isEmpty
        guard isWatched || .now() - current.arrival < Self.unwatchedLifetime else { return nil }
        return current.location
    }

    private func check(
        _ value: Double?, _ name: String, _ isAllowed: (Double) -> Bool
    ) throws(VarlinkError) {
        guard value.map(isAllowed) ?? true else { throw .invalidParameter(name) }
    }
}

// MARK: Authorization

extension Hub {
    /// The declaration of the client that `peer` is.
    func declaration(of peer: PeerIdentity) throws(VarlinkError) -> ClientDeclaration {
        switch registry.recognise(peer) {
        case .declared(let declaration): return declaration
        case .undeclared: throw .notDeclared(peer, directories: configuration.daemon.clientDirectories)
        case .ambiguous(let declarations): throw .ambiguous(peer, declarations)
        }
    }

    /// What `client` may have of the location of the user of `peer`.
    func authorization(of client: ClientDeclaration, _ peer: PeerIdentity) -> ClientAuthorization {
        let key = ClientKey(userID: peer.userID, client: client.identifier)
        if let known = authorizations[key] { return known }
        let new = ClientAuthorization(
            record: AuthorizationRecord(), circumstances: .init(declaration: client, areServicesEnabled: true))
        authorizations[key] = new
        return new
    }

    private func authorize(_ subscription: Subscription, as client: ClientDeclaration) {
        let authorization = authorization(of: client, subscription.peer)
        subscription.setAccess(authorization.access(isInUse: false), status: authorization.authorization.status)
    }

    private func requireAccess(of client: ClientDeclaration, _ peer: PeerIdentity) throws(VarlinkError) {
        let authorization = authorization(of: client, peer)
        guard authorization.access(isInUse: false) == .permitted(.full) else {
            throw .notAuthorized(client, authorization.authorization)
        }
    }

    /// Applies the rules as they are now to everybody who is waiting for locations.
    private func reauthorize() {
        for (id, subscription) in subscriptions {
            do {
                authorize(subscription, as: try declaration(of: subscription.peer))
            } catch {
                subscriptions[id] = nil
                subscription.end(error)
            }
        }
        for (id, request) in requests {
            do {
                try requireAccess(of: try declaration(of: request.peer), request.peer)
            } catch {
                request.end(error)
                finish(id)
            }
        }
        updateNeed()
    }
}

// MARK: Management

extension Hub {
    /// Reads the configuration again. What is refused leaves what was there in force.
    func reload() -> [ConfigurationProblem] {
        do {
            configuration = try loadConfiguration(configuration)
            registry = ClientRegistry(configuration.clients)
            authorizations = [:]
            reauthorize()
        } catch {
            logger.error("The configuration could not be read again: \(error)")
        }
        report(configuration.problems)
        return configuration.problems
    }

    /// Says in the log what was refused.
    func report(_ problems: [ConfigurationProblem]) {
        for problem in problems {
            logger.error("Refused: \(problem)")
        }
    }

    /// The state of the service.
    func status() -> ManagerInterface.GetServiceStatus.Reply {
        ManagerInterface.GetServiceStatus.Reply(
            version: serviceVersion,
            source: source.map { ManagerInterface.Source($0.status) } ?? ManagerInterface.noSource,
            isLocationAvailable: freshLocation != nil,
            connections: connectionsPerUser.values.reduce(0, +),
            subscriptions: subscriptions.count,
            clients: registry.declarations.count,
            problems: configuration.problems.map(ManagerInterface.ConfigurationProblem.init))
    }

    /// Ends the source; whoever still waits is ended by the server.
    func shutdown() {
        source?.shutdown()
        source = nil
    }
}

extension UnavailableReason {
    /// What it means to a person.
    fileprivate var sentence: String {
        switch self {
        case .notConnected: "No fix came in time: gpsd cannot be reached."
        case .noReceiver: "No fix came in time: gpsd has no receiver."
        case .noFix: "No fix came in time: the receiver has none."
        case .silent: "No fix came in time: the receiver does not report one."
        }
    }
}
