import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Varlink

// Who waits for locations: subscriptions, and requests for one.

extension Hub {
    /// Opens a subscription for locations.
    func subscribe(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        try call.requireMore()
        let parameters = try call.parameters(as: LocationInterface.Subscribe.Parameters.self)
        try check(parameters.distanceFilter, "distanceFilter") { $0 >= 0 && $0 <= 1e8 }
        try check(parameters.minimumInterval, "minimumInterval") { $0 >= 0 && $0 <= 86_400 }
        try check(parameters.desiredAccuracy, "desiredAccuracy") { $0 > 0 && $0 <= 1e8 }
        try check(parameters.headingFilter, "headingFilter") { $0 >= 0 && $0 <= 180 }
        let client = try client(of: session)
        try open(Subscription(call: call, session: session, client: client, parameters: parameters), of: call)
    }

    /// Opens a subscription for frames.
    func follow(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        try call.requireMore()
        let rate = try call.parameters(as: LocationInterface.Follow.Parameters.self).rate ?? 30
        guard (1...60).contains(rate) else { throw .invalidParameter("rate") }
        let client = try client(of: session)
        try open(Subscription(call: call, session: session, client: client, frameRate: rate), of: call)
    }

    /// Opens a subscription; asks the user first, where nobody has decided yet.
    private func open(_ subscription: Subscription, of call: ServerCall) throws(VarlinkError) {
        let (client, session) = (subscription.client, subscription.session)
        let limit = configuration.daemon.limits.subscriptionsPerUser
        guard subscriptionsPerUser[session.peer.userID, default: 0] < limit else {
            throw .locationd(LocationInterface.LimitExceeded(limit: "SubscriptionsPerUser", value: limit))
        }
        let id = subscription.id
        call.onWritable = { [weak self] in
            self?.assumeIsolated { hub in
                guard let subscription = hub.subscriptions[id] else { return }
                hub.resume(subscription)
            }
        }
        watchUse(of: client)
        let asking = askIfUndecided(subscription.request, client, session) { [weak self] error in
            guard let self, let error else { return }
            self.assumeIsolated { hub in
                subscription.end(error)
                hub.forget(id)
            }
        }
        guard !subscription.isEnded else { return }
        subscriptions[id] = subscription
        subscriptionsPerUser[session.peer.userID, default: 0] += 1
        startFollowing(subscription)
        call.onCancel = { [weak self] in
            self?.assumeIsolated { hub in
                hub.withdraw(asking, client)
                hub.forget(id)
            }
        }
        // First what is known, then the need: what a source knew before it was needed again is old.
        authorize(subscription)
        updateNeed()
    }

    private func forget(_ id: ObjectIdentifier) {
        if let subscription = subscriptions.removeValue(forKey: id) {
            let user = subscription.session.peer.userID
            let left = subscriptionsPerUser[user, default: 1] - 1
            subscriptionsPerUser[user] = left > 0 ? left : nil
            stopFollowing(subscription)
        }
        updateNeed()
    }

    /// Ends a subscription with an error.
    func end(_ id: ObjectIdentifier, _ error: VarlinkError) {
        subscriptions[id]?.end(error)
        forget(id)
    }

    /// Applies to a subscription what its client may have now.
    func authorize(_ subscription: Subscription) {
        let authorization = subscription.client.authorization
        let before = subscription.access
        subscription.setAccess(
            authorization.access(isInUse: isInUse(subscription.session)), authorization.authorization,
            isUseKnown: isUseKnown(subscription.session))
        if subscription.access != before, case .permitted = subscription.access { catchUp(subscription) }
    }
}

extension Hub {
    /// Answers with a location, now or when one comes; asks the user first, where nobody has decided yet.
    func getLocation(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        let parameters = try call.parameters(as: LocationInterface.GetLocation.Parameters.self)
        try check(parameters.timeout, "timeout") { $0 > 0 && $0 <= 3600 }
        try check(parameters.desiredAccuracy, "desiredAccuracy") { $0 > 0 && $0 <= 1e8 }
        let client = try client(of: session)
        watchUse(of: client)
        let request = LocationRequest(
            call: call, session: session, client: client, desiredAccuracy: parameters.desiredAccuracy ?? .infinity,
            timeout: .nanoseconds(Int64((parameters.timeout ?? 30) * 1e9)))
        let asking = askIfUndecided(.whenInUse, client, session) { [weak self] error in
            self?.assumeIsolated { hub in
                if let error { return request.end(error) }
                do throws(VarlinkError) {
                    try hub.serve(request)
                } catch {
                    request.end(error)
                }
            }
        }
        guard !request.isEnded else { return }
        guard asking == nil else {
            call.onCancel = { [weak self] in self?.assumeIsolated { $0.withdraw(asking, client) } }
            return
        }
        try serve(request)
    }

    /// Answers a request, or has it wait for a location.
    private func serve(_ request: LocationRequest) throws(VarlinkError) {
        try requireAccess(request)
        let id = ObjectIdentifier(request)
        requests[id] = request
        if let known = location(for: request.client, access(of: request)) {
            answer(request, id, known.location, known.accuracy)
        }
        guard requests[id] != nil else { return }
        request.call.onCancel = { [weak self] in self?.assumeIsolated { $0.finish(id) } }
        // The time begins when waiting does: how long the user takes to decide is no matter of the receiver.
        request.timer = eventLoop.assumeIsolated().scheduleTask(in: request.timeout) { [weak self] in
            self?.assumeIsolated { $0.giveUp(id) }
        }
        updateNeed()
    }

    private func access(of request: LocationRequest) -> Access {
        request.client.authorization.access(isInUse: isInUse(request.session))
    }

    /// Offers a new location to a request.
    func offer(_ location: Location, to request: LocationRequest, _ id: ObjectIdentifier) {
        switch access(of: request) {
        case .permitted(.full): answer(request, id, location, .full)
        case .permitted(.reduced):
            if let known = self.location(for: request.client, .permitted(.reduced)) {
                answer(request, id, known.location, .reduced)
            }
        case .suspended, .undecided, .refused: break
        }
    }

    private func answer(
        _ request: LocationRequest, _ id: ObjectIdentifier, _ location: Location, _ accuracy: AccuracyAuthorization
    ) {
        // No rough location is as exact as was asked for, and no better one will come.
        guard
            request.offer(
                location, isFinal: accuracy == .reduced, encoded: accuracy == .full ? encodedAnswer() : nil)
        else { return }
        deliveries.answered += 1
        noteAccess(of: request.client, to: location, accuracy)
        finish(id)
    }

    private func giveUp(_ id: ObjectIdentifier) {
        guard let request = requests[id] else { return }
        if let best = request.giveUp(reason: (unavailability ?? .silent).sentence) {
            deliveries.answered += 1
            noteAccess(of: request.client, to: best, .full)
        }
        finish(id)
    }

    private func finish(_ id: ObjectIdentifier) {
        requests.removeValue(forKey: id)?.timer?.cancel()
        updateNeed()
    }

    /// Ends a request that waits, unless its client may still know.
    func authorize(_ request: LocationRequest) {
        do throws(VarlinkError) {
            try requireAccess(request)
            if let known = location(for: request.client, access(of: request)) {
                answer(request, ObjectIdentifier(request), known.location, known.accuracy)
            }
        } catch {
            request.end(error)
            finish(ObjectIdentifier(request))
        }
    }

    private func requireAccess(_ request: LocationRequest) throws(VarlinkError) {
        switch access(of: request) {
        case .permitted: return
        // The evidence is on its way: what it says comes as an event.
        case .suspended where !isUseKnown(request.session): return
        case .suspended, .undecided, .refused: throw .notAuthorized(request.client)
        }
    }
}

extension UnavailableReason {
    /// What it means to a person.
    var sentence: String {
        switch self {
        case .notConnected: "No fix came in time: gpsd cannot be reached."
        case .noReceiver: "No fix came in time: gpsd has no receiver."
        case .noFix: "No fix came in time: the receiver has none."
        case .silent: "No fix came in time: the receiver does not report one."
        }
    }
}
