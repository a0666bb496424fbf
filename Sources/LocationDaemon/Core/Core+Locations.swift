import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import NIOCore

// Who waits for locations: subscriptions, and requests for one.

extension Core {
    /// Opens a subscription for locations. `nil` if it has ended already; else the door closes it when its peer has gone.
    ///
    /// - Parameter wish: the accuracy that the peer wants at most, whatever it may have.
    func subscribe(
        _ subscriber: any Subscriber, _ parameters: LocationInterface.Subscribe.Parameters, _ connection: Connection,
        wish: AccuracyAuthorization = .full
    ) throws(Refusal) -> Subscription? {
        try Refusal.check(parameters.distanceFilter, "distanceFilter") { $0 >= 0 && $0 <= 1e8 }
        try Refusal.check(parameters.minimumInterval, "minimumInterval") { $0 >= 0 && $0 <= 86_400 }
        try Refusal.check(parameters.desiredAccuracy, "desiredAccuracy") { $0 > 0 && $0 <= 1e8 }
        try Refusal.check(parameters.headingFilter, "headingFilter") { $0 >= 0 && $0 <= 180 }
        let client = try directory.client(of: connection)
        return try open(
            Subscription(subscriber, connection: connection, client: client, parameters: parameters, wish: wish))
    }

    /// Opens a subscription for `rate` frames a second, 1 to 60.
    func follow(_ subscriber: any Subscriber, rate: Int, _ connection: Connection) throws(Refusal) -> Subscription? {
        guard (1...60).contains(rate) else { throw .invalidParameter("rate") }
        let client = try directory.client(of: connection)
        return try open(Subscription(subscriber, connection: connection, client: client, frameRate: rate))
    }

    /// Opens a subscription; asks the user first, where nobody has decided yet. Returns `nil` if that has ended it already.
    private func open(_ subscription: Subscription) throws(Refusal) -> Subscription? {
        let (client, connection) = (subscription.client, subscription.connection)
        let limit = configuration.daemon.limits.subscriptionsPerUser
        guard connection.user.subscriptions < limit else { throw .limitExceeded("SubscriptionsPerUser", limit) }
        use.noteCall(of: connection)
        subscription.asking = authorizer.askIfUndecided(subscription.request, client, connection) {
            [weak self, weak subscription] refusal in
            if let refusal, let subscription { self?.end(subscription, refusal) }
        }
        guard !subscription.isEnded else { return nil }
        publisher.add(subscription)
        prepareRough(client)
        publisher.review(subscription)
        return subscription
    }

    /// The peer of a subscription wants another accuracy at most from now on.
    func setWish(_ wish: AccuracyAuthorization, of subscription: Subscription) {
        subscription.wish = wish
        prepareRough(subscription.client)
        publisher.review(subscription)
    }

    /// The peer of a subscription has gone, or wants no more.
    func close(_ subscription: Subscription) {
        publisher.remove(subscription)
        authorizer.withdraw(subscription.asking, subscription.client)
    }

    /// Answers with a location, now or when one comes; asks the user first, where nobody has decided yet.
    func getLocation(
        _ subscriber: any Subscriber, _ parameters: LocationInterface.GetLocation.Parameters, _ connection: Connection
    ) throws(Refusal) -> LocationRequest? {
        try Refusal.check(parameters.timeout, "timeout") { $0 > 0 && $0 <= 3600 }
        try Refusal.check(parameters.desiredAccuracy, "desiredAccuracy") { $0 > 0 && $0 <= 1e8 }
        let client = try directory.client(of: connection)
        use.noteCall(of: connection)
        let request = LocationRequest(
            subscriber, connection: connection, client: client,
            desiredAccuracy: parameters.desiredAccuracy ?? .infinity,
            timeout: .nanoseconds(Int64((parameters.timeout ?? 30) * 1e9)))
        let asking = authorizer.askIfUndecided(.whenInUse, client, connection) { [weak self] refusal in
            if let refusal { request.end(refusal) } else { self?.serve(request) }
        }
        guard !request.isEnded else { return nil }
        request.asking = asking
        if asking == nil, connection.requests[request.id] == nil { serve(request) }
        return request.isEnded ? nil : request
    }

    /// The peer of a request has gone.
    func close(_ request: LocationRequest) {
        publisher.remove(request)
        authorizer.withdraw(request.asking, request.client)
    }

    /// Answers a request, or has it wait for a location.
    private func serve(_ request: LocationRequest) {
        do throws(Refusal) {
            try requireAccess(request)
            prepareRough(request.client)
            publisher.add(request)
        } catch {
            request.end(error)
        }
    }

    /// Has what a client's rough locations take read, if its accuracy is reduced, or somebody wants no more.
    func prepareRough(_ client: Client) {
        let subscriptions = client.connections.values.lazy.flatMap(\.subscriptions.values)
        if client.evaluation(isInUse: true).authorization.accuracy == .reduced
            || subscriptions.contains(where: \.wantsRough)
        {
            publisher.rough.prepare(client.key.client)
        }
    }
}

// MARK: Authorization

extension Core {
    /// A client asks for authorization; `answer` is called once, now or when the user has answered. Returns what withdraws
    /// the request, while it waits.
    func request(
        _ request: ClientAuthorization.Request, _ connection: Connection,
        answer: @escaping (Result<AuthorizationInterface.Status, Refusal>) -> Void
    ) throws(Refusal) -> (() -> Void)? {
        let client = try directory.client(of: connection)
        use.noteCall(of: connection)
        let asking = authorizer.ask(request, client, connection) { refusal in
            answer(refusal.map { .failure($0) } ?? .success(client.status))
        }
        guard let asking else { return nil }
        return { [weak self] in self?.authorizer.withdraw(asking, client) }
    }

    /// What a connection's client may have.
    func status(of connection: Connection) throws(Refusal) -> AuthorizationInterface.Status {
        try directory.client(of: connection).status
    }

    /// Tells a client what it may have, now and after every change.
    func watch(_ observer: any AuthorizationObserver, _ connection: Connection) throws(Refusal) -> AuthorizationWatcher
    {
        let client = try directory.client(of: connection)
        let watcher = AuthorizationWatcher(observer, connection: connection, client: client)
        client.watchers[ObjectIdentifier(watcher)] = watcher
        watcher.tell()
        return watcher
    }

    /// The peer of a watcher has gone.
    func close(_ watcher: AuthorizationWatcher) { watcher.client.watchers[ObjectIdentifier(watcher)] = nil }
}
