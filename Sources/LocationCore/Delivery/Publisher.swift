import LocationConditions
import LocationModel
import LocationPolicy
import LocationSources
import Logging
import NIOCore
import Pacing

/// Distributes the sources' reports to subscriptions, requests and followers.
///
/// Confined to the event loop.
final class Publisher {
    private let eventLoop: any EventLoop
    private let accesses: AccessLog
    let reduced: ReducedLocations
    private let gate: Gate
    /// Watches conditions and visits for clients.
    let conditions: ConditionMonitor
    /// The need for locations.
    let need: SourceNeed
    private let following: Following

    private(set) var sources: SourceGroup?
    /// The reason for having no location, if the sources have reported one.
    private var unavailability: LocationCause? { gate.supply.unavailability }

    /// The newest location and those before it that would still be current without it, the newest last.
    private var recent: [Publication] = []
    private var subscriptions: ContiguousArray<Subscription> = []
    private var requests: [ObjectIdentifier: LocationRequest] = [:]
    /// The counts of outcomes.
    private(set) var counts = DeliveryCounts()

    private let queue: CoreQueue

    init(
        eventLoop: any EventLoop, share: LoopShare, accesses: AccessLog, gate: Gate, conditions: ConditionMonitor,
        reduced: ReducedLocations, queue: CoreQueue
    ) {
        self.queue = queue
        self.eventLoop = eventLoop
        self.accesses = accesses
        self.reduced = reduced
        self.gate = gate
        self.conditions = conditions
        need = SourceNeed(conditions: conditions, sleep: ReceiverSleep(queue: queue))
        following = Following(queue: queue, share: share)
    }

    var subscriptionCount: Int { subscriptions.count }
    var requestCount: Int { requests.count }
    /// The kinds of sources that could give locations.
    var availableKinds: Set<Location.SourceInformation.Kind> { sources?.availableKinds ?? [] }

    /// Starts or ends following the kinds of sources that could give locations.
    func watchAvailability(_ isWatched: Bool) { sources?.watchAvailability(isWatched) }

    /// Finds out again which sources could give locations.
    func refreshAvailability() { sources?.refreshAvailability() }

    /// The status of each source.
    var statuses: [SourceStatus] { sources?.statuses ?? [] }
    /// The reason for which the machine's compass has no heading, as a sentence; `nil` while none is needed of it.
    var compassProblem: String? { sources?.compassProblem }

    /// Sets the sources of locations; `nil` at the end.
    func setSources(_ new: SourceGroup?) {
        sources?.shutdown()
        (sources, recent) = (new, [])
    }

    /// Shuts the sources down and cancels timers.
    func shutdown() {
        conditions.shutdown()
        need.shutdown()
        setSources(nil)
    }
}

// MARK: What a recipient may have

extension Publisher {
    /// True while there is a location that has not gone stale.
    var hasLocation: Bool { gate.newestLocation() != nil }

    /// The position that a recipient may have now, released by the gate.
    func disclosure(to recipient: some Recipient, client: Client) -> Disclosure? {
        if let newest = gate.newestLocation(), let exact = gate.pass(.location(newest), to: recipient) { return exact }
        // While a rule about a place withholds locations, the client sees what it would see of a receiver without a fix: the last
        // location that it may have, while that is current.
        if client.mayBeWithheld {
            for earlier in recent.reversed() {
                if let exact = gate.pass(.location(earlier), to: recipient) { return exact }
            }
        }
        // Likewise while a rule with an interval allows no other one.
        if client.isRuled, let last = client.user.rules.lastLocation(of: client.key.client),
            let exact = gate.pass(.location(last), to: recipient)
        {
            return exact
        }
        // Repeated requests yield no further samples: the last reduced location is repeated until the next is due.
        return reduced.newest(for: client.key.client).flatMap { gate.pass(.reduced($0), to: recipient) }
    }

    /// Releases a position again that was released to the recipient before.
    func disclosure(again ticket: Disclosure.Ticket, to recipient: some Recipient) -> Disclosure? {
        gate.pass(again: ticket, to: recipient)
    }

    /// Releases a position once more to a recipient whose protocol repeats it.
    func disclosure(repeating ticket: Disclosure.Ticket, to recipient: some Recipient) -> Disclosure? {
        gate.pass(repeating: ticket, to: recipient)
    }
}

// MARK: What the source reports

extension Publisher {
    /// Handles an event of the sources.
    func receive(_ event: SourceEvent) {
        perform(
            gate.receive(event, staleAt: sources?.staleAt, problem: statuses.problem(for: event.reason)))
    }

    private func perform(_ supplied: [Supply.Action]) {
        for action in supplied {
            switch action {
            case .publish(let publication): publish(publication)
            case .publishHeading(let heading): publish(heading)
            case .publishUnavailability(let cause): publishUnavailability(cause)
            case .announceLocation: queue.append(.announceLocation)
            case .resetMotion: following.reset()
            case .setDemand(let demand): sources?.setDemand(demand)
            }
        }
    }

    private func publish(_ publication: Publication) {
        var new = DeliveryCounts()
        new.publications = 1
        new.offered = subscriptions.count - following.count
        var owedReduced: Set<String> = []
        var changed: [Subscription] = []
        recent.removeAll { $0.currentUntil <= eventLoop.now }
        recent.append(publication)
        for subscription in subscriptions {
            // Frames are sent at their own rate.
            if let disclosure = gate.pass(.location(publication), to: subscription) {
                if !subscription.isFollowing { deliver(disclosure, to: subscription, &new) }
                if subscription.client.isRuled {
                    subscription.notePermitted(publication)
                    if subscription.reviewed != .permitted(.full) { changed.append(subscription) }
                }
                continue
            }
            let access = subscription.evaluation(at: publication.position).access
            if subscription.client.isRuled, subscription.reviewed != access { changed.append(subscription) }
            switch access {
            case .permitted(let accuracy):
                if subscription.client.isRuled { subscription.notePermitted(publication) }
                // An exact one is not due yet.
                if accuracy == .reduced { owedReduced.insert(subscription.client.key.client) }
                new.count(.filtered, isFrame: subscription.isFollowing)
            case .withheld, .suspended, .undecided, .refused:
                if !subscription.isFollowing { new.forbidden += 1 }
                // A confirmation would not lift what a rule withholds.
                if access != .withheld, subscription.needsSource {
                    queue.append(.askToConfirm(subscription.client, subscription.connection))
                }
            }
        }
        counts += new
        for request in requests.values {
            offer(publication, to: request)
            if case .permitted(.reduced) = request.evaluation.access { owedReduced.insert(request.client.key.client) }
        }
        for client in owedReduced { releaseIfDue(client) }
        following.receive(publication)
        // The location is inside of a place, or outside, unlike the last one.
        for subscription in changed { review(subscription) }
        let fix = conditions.fix(publication)
        let hasEvents = conditions.receive(publication, fix)
        if need.decideSleep(after: publication, fix, hasEvents: hasEvents, hasRequests: !requests.isEmpty) {
            updateNeed()
        }
    }

    private func deliver(_ disclosure: Disclosure, to subscription: Subscription, _ counts: inout DeliveryCounts) {
        let outcome = subscription.offer(disclosure)
        counts.count(outcome, isFrame: subscription.isFollowing)
        if outcome == .delivered { note(disclosure, to: subscription.client, by: subscription.connection) }
    }

    /// Records what a client was given: in history, and for its pace.
    private func note(_ disclosure: Disclosure, to client: Client, by connection: Connection) {
        if client.isRuled { pace(disclosure, to: client) }
        switch disclosure.content {
        case .location(let publication): accesses.note(client, by: connection, publication, accuracy: .full)
        // History counts fixes, not frames.
        case .frame(let frame):
            if let publication = frame.publication {
                accesses.note(client, by: connection, publication, accuracy: .full)
            }
        case .reduced(let publication): accesses.note(client, by: connection, publication, accuracy: .reduced)
        case .heading: break
        }
    }

    /// The interval of a rule from which the time of the last location is kept on disk, so that a restart of the service
    /// yields no further one.
    private static let intervalOnDisk = Duration.seconds(60)

    /// Records what a client was given if a rule with an interval may limit it.
    private func pace(_ disclosure: Disclosure, to client: Client) {
        guard client.authorization.rules.contains(where: { $0.limit.minimumInterval != nil }),
            let number = disclosure.content.paceNumber
        else { return }
        let exact: Publication? = if case .location(let publication) = disclosure.content { publication } else { nil }
        guard client.user.rules.delivered(number, exact, to: client.key.client),
            let interval = client.evaluation(isInUse: true, at: disclosure.content.position).interval?.value,
            interval >= Self.intervalOnDisk
        else { return }
        queue.append(.savePacedRelease(client))
    }

    private func publish(_ heading: SharedHeading) {
        following.receive(heading.heading)
        guard need.isHeadingNeeded else { return }
        for subscription in subscriptions where subscription.wantsHeading {
            if let disclosure = gate.pass(.heading(heading), to: subscription) {
                subscription.offer(disclosure)
            }
        }
    }

    private func publishUnavailability(_ cause: LocationCause) {
        // Followers are notified after their last frame.
        let hasFrames = following.loseSource(cause)
        for subscription in subscriptions where !subscription.isFollowing || !hasFrames {
            subscription.sendUnavailable(cause)
        }
    }

    /// Releases a reduced location for a client from the newest exact one, if one is due.
    private func releaseIfDue(_ client: String) {
        reduced.release(for: client) { [gate] in gate.newestLocation() }
    }

    /// Delivers a new reduced location to a client of all its users, or releases one if it is due.
    func releaseReduced(to name: String, of clients: [Client]) {
        guard reduced.newest(for: name) != nil else { return releaseIfDue(name) }
        for connection in clients.flatMap(\.connections.values) {
            for subscription in connection.subscriptions.values { catchUp(subscription) }
            for request in connection.requests.values { answerIfKnown(request) }
        }
    }
}

// MARK: Subscriptions

extension Publisher {
    /// Adds a subscription.
    func add(_ subscription: Subscription) {
        subscription.index = subscriptions.count
        subscriptions.append(subscription)
        subscription.connection.subscriptions[subscription.id] = subscription
        subscription.connection.user.subscriptions += 1
        following.add(subscription, current: gate.newestLocation())
    }

    /// Removes a subscription.
    func remove(_ subscription: Subscription) {
        guard subscription.connection.subscriptions.removeValue(forKey: subscription.id) != nil else { return }
        let last = subscriptions.removeLast()
        if last !== subscription {
            subscriptions[subscription.index] = last
            last.index = subscription.index
        }
        subscription.connection.user.subscriptions -= 1
        need.remove(subscription)
        subscription.cancelTimer()
        following.remove(subscription)
        updateNeed()
    }

    /// Updates the number of subscriptions that need the source, after a change that may affect their access. This
    /// comes before any of them is notified, so that nothing is read that nobody may have.
    func countNeeds(_ subscriptions: some Sequence<Subscription>) {
        for subscription in subscriptions { need.count(subscription) }
        updateNeed()
    }

    /// Reviews a subscription's access after a change that may affect it.
    func review(_ subscription: Subscription) {
        let isPermittedAnew = subscription.review()
        need.count(subscription)
        if isPermittedAnew { catchUp(subscription) }
        if isPermittedAnew, subscription.isForHeadings {
            subscription.awaitHeading { [weak self] in self?.compassProblem }
        }
        if subscription.reviewed == .withheld {
            if !subscription.isFollowing { catchUp(subscription) }
            subscription.sendUnavailable(unavailability)
        }
        updateNeed()
    }

    /// Sends the current state to a starting or resuming subscription.
    private func catchUp(_ subscription: Subscription) {
        if let rate = subscription.frameRate, subscription.getsExactFrames {
            if let frame = following.frame() {
                show(frame, to: subscription)
                following.start(rate)
            } else {
                sendAbsence(to: subscription)
            }
        } else if let disclosure = disclosure(to: subscription, client: subscription.client) {
            if case .location(let publication) = disclosure.content, subscription.client.isRuled {
                subscription.notePermitted(publication)
            }
            guard !subscription.hasDelivered(disclosure) else { return }
            // A separate value, because the delivery may make another subscription catch up.
            var new = DeliveryCounts()
            if !subscription.isFollowing { new.repeated = 1 }
            deliver(disclosure, to: subscription, &new)
            counts += new
        } else {
            if case .permitted(.reduced) = subscription.access { releaseIfDue(subscription.client.key.client) }
            sendAbsence(to: subscription)
        }
    }

    /// Reports to a starting or resuming subscription that there is no location, if the sources have reported that. A client
    /// from which a rule about a place may withhold locations gets the report in any case, at once.
    private func sendAbsence(to subscription: Subscription) {
        guard unavailability != nil || subscription.client.mayBeWithheld else { return }
        subscription.sendUnavailable(unavailability)
    }

    /// Sends the pending state to a subscription whose peer reads again.
    func resume(_ subscription: Subscription) {
        // Frames come by themselves.
        let known = subscription.getsExactFrames ? nil : disclosure(to: subscription, client: subscription.client)
        if subscription.catchUp(with: known), let known {
            counts.countCaughtUp(isFrame: subscription.isFollowing)
            note(known, to: subscription.client, by: subscription.connection)
        }
    }

    /// The time after a fix in which frames are predicted from it for a client from which a rule about a place may withhold
    /// locations: the usual interval between two fixes.
    private static let frameHorizon = TimeAmount.seconds(1)

    /// Sends the frame that was due at this time to the followers of a rate.
    func showFrame(_ rate: Int, due: NIODeadline) {
        following.showFrame(rate, due: due) { [unowned self] in show($0, to: $1) }
    }

    /// Sends a frame to a follower with access.
    private func show(_ frame: SharedFrame, to follower: Subscription) {
        guard let disclosure = gate.pass(.frame(frame), to: follower) else { return }
        // A rule about a place ends frames with the next fix; those beyond it would show that there is none.
        if follower.client.mayBeWithheld, let fix = frame.publication, frame.time - fix.arrival > Self.frameHorizon {
            return
        }
        // A separate value, as in `catchUp`.
        var new = DeliveryCounts()
        deliver(disclosure, to: follower, &new)
        counts += new
    }
}

// MARK: Need

extension Publisher {
    /// Starts or stops the sources by the need. They run only while somebody with access waits for a location, or will have
    /// access as soon as the user confirms.
    func updateNeed() {
        sources?.setHeadingNeeded(need.isHeadingNeeded)
        let demand = need.update(hasRequests: !requests.isEmpty)
        if demand != gate.supply.demand {
            if gate.supply.demand == .off, need.isForOthersThanBefore(users) { forget() }
            perform(gate.setDemand(demand))
        }
        gate.setResting(need.isReceiverAsleep)
    }

    /// Needs locations now for what is watched.
    func wakeReceiver() {
        need.wakeReceiver()
        updateNeed()
    }

    /// Lets the sources forget the past, because location services were switched off or because they are needed for other users:
    /// what was found for one says where that one was.
    func forget() { sources?.forget() }

    /// The users for whom the sources are needed.
    private var users: Set<UInt32> {
        Set(
            subscriptions.lazy.filter(\.needsSource).map(\.connection.user.id)
                + requests.values.map(\.connection.user.id) + conditions.users)
    }
}

// MARK: Requests

extension Publisher {
    /// Answers a request at once, or makes it wait for a location.
    func add(_ request: LocationRequest) {
        answerIfKnown(request)
        guard !request.isEnded else { return }
        requests[request.id] = request
        request.connection.requests[request.id] = request
        // The time starts now: the user's time for a decision does not count.
        request.timer = queue.makeTimer(in: request.timeout) { [weak self, weak request] in
            if let request { self?.giveUp(request) }
        }
        updateNeed()
    }

    /// Removes a request that was answered or whose peer is gone.
    func remove(_ request: LocationRequest) {
        guard requests.removeValue(forKey: request.id) != nil else { return }
        request.connection.requests[request.id] = nil
        request.timer?.cancel()
        updateNeed()
    }

    /// Answers a request with the current state, if that is accurate enough and released.
    func answerIfKnown(_ request: LocationRequest) {
        if let newest = gate.newestLocation() { offer(newest, to: request) }
        guard !request.isEnded, let disclosure = disclosure(to: request, client: request.client) else {
            if case .permitted(.reduced) = request.evaluation.access, !request.isEnded {
                releaseIfDue(request.client.key.client)
            }
            return
        }
        switch disclosure.content {
        // No reduced location has the requested accuracy, and no better one will come.
        case .reduced: answer(request, disclosure)
        // Not the newest, which was offered, but the last one that a rule with an interval allows.
        case .location(let publication) where request.isAccurateEnough(publication.location):
            answer(request, disclosure)
        case .location, .frame, .heading: break
        }
    }

    private func offer(_ publication: Publication, to request: LocationRequest) {
        guard request.isAccurateEnough(publication.location) else { return }
        if let disclosure = gate.pass(.location(publication), to: request) {
            answer(request, disclosure)
        }
    }

    private func answer(_ request: LocationRequest, _ disclosure: Disclosure) {
        counts.answered += 1
        note(disclosure, to: request.client, by: request.connection)
        request.answer(disclosure)
        remove(request)
    }

    /// The reason for having no location, also before the source has reported one.
    private var causeOfAbsence: LocationCause {
        if let unavailability { return unavailability }
        let statuses = statuses
        let receivers = statuses.filter(\.kind.isReceiver)
        let reason: UnavailableReason =
            if statuses.isEmpty {
                .noSource
            } else if receivers.isEmpty {
                .notLocated
            } else {
                receivers.contains { $0.connection == .connected } ? .starting : .notConnected
            }
        return LocationCause(reason, problem: statuses.problem(for: reason))
    }

    /// The reason why a request gets no location, as sentences.
    private func reasonForNone(_ request: LocationRequest) -> String {
        // One sentence for every absence, since another would tell where the user is.
        guard !request.client.mayBeWithheld else {
            return "There is no location for this program now. To find out why, run: locationctl explain "
                + request.client.key.client
        }
        let evaluation = request.evaluation
        switch evaluation.access {
        case .permitted(.reduced) where hasLocation && evaluation.interval == nil:
            return "The next approximate location is not due yet: this program gets one every 15 minutes at most."
        case .permitted where hasLocation && evaluation.interval != nil:
            return
                "The next location is not due yet, because a rule sets the shortest time between two. To list the rules, "
                + "run: locationctl rules list"
        case .permitted, .withheld, .suspended, .undecided, .refused:
            return "No fix came in time. \(causeOfAbsence.message)"
        }
    }

    /// Answers at the end of the time with the most accurate location that is still current and released.
    private func giveUp(_ request: LocationRequest) {
        let current = recent + (gate.newestLocation().map { [$0] } ?? [])
        let released = current.reversed().compactMap { location in
            gate.pass(.location(location), to: request).map { (location.location.horizontalAccuracy ?? .infinity, $0) }
        }
        if let (_, best) = released.min(by: { $0.0 < $1.0 }) {
            answer(request, best)
        } else {
            request.end(.locationUnavailable(reasonForNone(request)))
            remove(request)
        }
    }
}

extension [SourceStatus] {
    /// The last error of a source that this reason concerns, as a sentence.
    fileprivate func problem(for reason: UnavailableReason?) -> String? {
        lazy.filter { $0.kind.isReceiver != (reason == .notLocated) }.compactMap(\.lastError).first
    }
}

extension SourceEvent {
    /// The reason for having no location; `nil` for another event.
    fileprivate var reason: UnavailableReason? { if case .unavailable(let reason) = self { reason } else { nil } }
}
