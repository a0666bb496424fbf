import LocationConfiguration
package import LocationModel
package import LocationPolicy
import NIOCore

// Subscriptions and requests for locations.

extension Core {
    /// Throws the refusal if the peer of a connection is not a declared client.
    package func requireClient(_ connection: Connection) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            _ = try directory.client(of: connection)
        }
    }

    /// Opens a subscription for locations. Returns `nil` if it has ended already; otherwise the front end closes it
    /// when the peer is gone.
    package func subscribe(
        _ subscriber: any Subscriber, _ options: SubscriptionOptions, _ connection: Connection
    ) throws(Refusal) -> Subscription? {
        try queue.answer { () throws(Refusal) in
            try options.validate()
            let client = try directory.client(of: connection)
            return try open(
                Subscription(
                    subscriber, connection: connection, client: client, options: options, queue: queue))
        }
    }

    /// Opens a subscription for `rate` frames a second, 1 to 60.
    package func follow(_ subscriber: any Subscriber, rate: Int, _ connection: Connection) throws(Refusal)
        -> Subscription?
    {
        try queue.answer { () throws(Refusal) in
            guard (1...60).contains(rate) else { throw .invalidParameter("rate") }
            let client = try directory.client(of: connection)
            return try open(
                Subscription(subscriber, connection: connection, client: client, frameRate: rate, queue: queue))
        }
    }

    /// Opens a subscription, after asking the user if necessary. Returns `nil` if it has ended already.
    private func open(_ subscription: Subscription) throws(Refusal) -> Subscription? {
        let (client, connection) = (subscription.client, subscription.connection)
        let limit = configuration.daemon.limits.subscriptionsPerUser
        guard connection.user.subscriptions < limit else { throw .limitExceeded("SubscriptionsPerUser", limit) }
        use.noteCall(of: connection)
        if subscription.evaluation.authorization.status == .notDetermined {
            subscription.authorizationRequest = authorizer.ask(subscription.request, client, connection) {
                [weak self, weak subscription] refusal in
                subscription?.authorizationRequest = nil
                if let refusal, let subscription { self?.end(subscription, refusal) }
            }
        }
        guard !subscription.isEnded else { return nil }
        publisher.add(subscription)
        prepareReduction(client, for: CollectionOfOne(subscription))
        publisher.review(subscription)
        return subscription
    }

    /// Changes the highest accuracy that the peer of a subscription requests.
    package func setRequestedAccuracy(_ accuracy: AccuracyAuthorization, of subscription: Subscription) {
        queue.answer {
            subscription.requestedAccuracy = accuracy
            prepareReduction(subscription.client, for: CollectionOfOne(subscription))
            publisher.review(subscription)
        }
    }

    /// Changes the minimum distance in metres and the minimum interval in seconds from the last delivered location.
    package func setFilter(distance: Double, interval: Double, of subscription: Subscription) {
        queue.answer {
            subscription.setFilter(distance: distance, interval: interval)
            publisher.countNeeds(CollectionOfOne(subscription))
        }
    }

    /// Releases a position again to a subscription whose peer reads it late, if the peer may have it now and it is fresh.
    package func disclosure(again ticket: Disclosure.Ticket, to subscription: Subscription) -> Disclosure? {
        // A connection that belongs to no client any more, or to another one, was declared anew.
        guard subscription.connection.client === subscription.client else { return nil }
        return disclosures.gate.pass(again: ticket, to: subscription)
    }

    /// Releases a position once more to a subscription whose peer gets the last one repeatedly, if the peer may have it
    /// now and it is fresh. The fixed position is dated now.
    package func disclosure(repeating ticket: Disclosure.Ticket, to subscription: Subscription) -> Disclosure? {
        guard subscription.connection.client === subscription.client else { return nil }
        return disclosures.gate.pass(repeating: ticket, to: subscription)
    }

    /// Records that a peer which keeps positions is sent one now. The same one counts once.
    package func noteDelivery(of disclosure: Disclosure, to subscription: Subscription) {
        queue.take { [self] in
            disclosures.log(disclosure, to: subscription.client, by: subscription.connection)
        }
    }

    /// Calls the core again after the event of which a front end is being told: no call may come in between.
    package func afterwards(_ call: @escaping () -> Void) { eventLoop.assumeIsolated().execute(call) }

    /// Closes a subscription whose peer is gone or has cancelled it.
    package func close(_ subscription: Subscription) { queue.take { [self] in remove(subscription) } }

    func remove(_ subscription: Subscription) {
        publisher.remove(subscription)
        authorizer.withdraw(subscription.authorizationRequest, subscription.client)
    }

    /// Answers with a location, now or when one comes, after asking the user if necessary.
    ///
    /// - Parameters:
    ///   - timeout: the time to wait for a fix, in seconds: above 0, at most 3600.
    ///   - desiredAccuracy: the largest radius in metres, above 0 to 100,000,000; `nil` for any.
    package func getLocation(
        _ subscriber: any Subscriber, timeout: Double = 30, desiredAccuracy: Double? = nil, _ connection: Connection
    ) throws(Refusal) -> LocationRequest? {
        try queue.answer { () throws(Refusal) in
            try Refusal.check(timeout, "timeout") { $0 > 0 && $0 <= 3600 }
            try Refusal.check(desiredAccuracy, "desiredAccuracy") { $0 > 0 && $0 <= 1e8 }
            let client = try directory.client(of: connection)
            use.noteCall(of: connection)
            let request = LocationRequest(
                subscriber, connection: connection, client: client,
                desiredAccuracy: desiredAccuracy ?? .infinity, timeout: .nanoseconds(Int64(timeout * 1e9)))
            var asking: ClientAuthorization.RequestID?
            if request.evaluation.authorization.status == .notDetermined {
                asking = authorizer.ask(.whenInUse, client, connection) { [weak self] refusal in
                    if let refusal { request.end(refusal) } else { self?.serve(request) }
                }
            }
            guard !request.isEnded else { return nil }
            request.authorizationRequest = asking
            if asking == nil, connection.requests[request.id] == nil { serve(request) }
            return request.isEnded ? nil : request
        }
    }

    /// Closes a request whose peer is gone.
    package func close(_ request: LocationRequest) { queue.take { [self] in remove(request) } }

    func remove(_ request: LocationRequest) {
        publisher.requests.remove(request)
        authorizer.withdraw(request.authorizationRequest, request.client)
    }

    /// Answers a request, or makes it wait for a location.
    private func serve(_ request: LocationRequest) {
        do throws(Refusal) {
            try requireAccess(request)
            prepareReduction(request.client, for: EmptyCollection())
            publisher.requests.add(request)
        } catch {
            request.end(error)
        }
    }

    /// Prepares reduced locations for a client whose accuracy is reduced, or if one of these subscriptions gets no more.
    func prepareReduction(_ client: Client, for subscriptions: some Sequence<Subscription>) {
        if client.mayBeReduced || subscriptions.contains(where: \.isLimitedToReduced) {
            disclosures.reduced.prepare(client.key.client)
        }
    }
}

// MARK: Authorization

extension Core {
    /// Requests authorization for a client; calls `answer` once, now or after the user's answer. Returns the function
    /// that withdraws the request while it waits.
    ///
    /// - Parameter notShown: called at once if the prompt is open and no agent shows it.
    package func request(
        _ request: ClientAuthorization.Request, _ connection: Connection,
        notShown: ((AuthorizationReport) -> Void)? = nil,
        answer: @escaping (Result<AuthorizationReport, Refusal>) -> Void
    ) throws(Refusal) -> (() -> Void)? {
        try queue.answer { () throws(Refusal) in
            let client = try directory.client(of: connection)
            use.noteCall(of: connection)
            let asking = authorizer.ask(request, client, connection) { [use] refusal in
                if let refusal { return answer(.failure(refusal)) }
                guard case .temporaryFullAccuracy = request, use.monitor != nil else {
                    return answer(.success(client.status(of: connection)))
                }
                use.find([connection.process]) { answer(.success(client.statusAfterTemporaryAccuracy(of: connection))) }
            }
            guard let asking else { return nil }
            if let notShown, let cause = client.causeOfHiddenPrompt {
                let status = client.status(of: connection)
                notShown(AuthorizationReport(client: status.client, authorization: status.authorization, cause: cause))
            }
            return { [weak self] in self?.queue.take { self?.authorizer.withdraw(asking, client) } }
        }
    }

    /// Finds out what a connection's client may have now, and whether it is in use where that matters.
    package func findStatus(
        of connection: Connection, completion: @escaping (Result<AuthorizationReport, Refusal>) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let client = try directory.client(of: connection)
            guard client.authorization.dependsOnUse, use.monitor != nil else {
                return completion(.success(client.status(of: connection)))
            }
            use.noteCall(of: connection)
            use.find([connection.process]) { completion(.success(client.status(of: connection))) }
        }
    }

    /// Sends a client its authorization, now and after every change.
    package func watch(_ observer: any AuthorizationObserver, _ connection: Connection) throws(Refusal)
        -> AuthorizationWatcher
    {
        try queue.answer { () throws(Refusal) in
            let client = try directory.client(of: connection)
            use.noteCall(of: connection)
            let watcher = AuthorizationWatcher(observer, connection: connection, client: client)
            client.watchers[ObjectIdentifier(watcher)] = watcher
            watcher.notify()
            return watcher
        }
    }

    /// Closes a watcher whose peer is gone.
    package func close(_ watcher: AuthorizationWatcher) { watcher.client.watchers[ObjectIdentifier(watcher)] = nil }
}
