import LocationModel
import LocationPolicy
import LocationSources
import NIOCore

/// Distributes the sources' reports to subscriptions, requests and followers.
///
/// Confined to the event loop.
final class Publisher {
    private let gate: Gate
    /// The positions that recipients may have.
    private let disclosures: Disclosures
    /// The requests that wait for a location.
    let requests: PendingRequests
    /// Watches conditions and visits for clients.
    let conditions: ConditionMonitor
    /// The need for locations.
    let need: SourceNeed
    private let following: Following
    /// The frames of the followers that have their own, by subscription.
    private var ownFollowing: [ObjectIdentifier: Following] = [:]
    private let share: LoopShare

    private(set) var sources: SourceGroup?
    /// The reason for having no location, if the sources have reported one.
    private var unavailability: LocationCause? { gate.supply.unavailability }

    private var subscriptions: ContiguousArray<Subscription> = []
    private var delivered = DeliveryCounts()

    private let queue: CoreQueue

    init(
        share: LoopShare, disclosures: Disclosures, conditions: ConditionMonitor, queue: CoreQueue
    ) {
        self.queue = queue
        self.disclosures = disclosures
        gate = disclosures.gate
        requests = PendingRequests(disclosures: disclosures, queue: queue)
        self.conditions = conditions
        need = SourceNeed(conditions: conditions, sleep: ReceiverSleep(queue: queue))
        following = Following(queue: queue, share: share)
        self.share = share
    }

    var subscriptionCount: Int { subscriptions.count }
    /// The counts of outcomes.
    var counts: DeliveryCounts {
        var counts = delivered
        counts.answered = requests.answered
        return counts
    }
    /// True while there is a location that has not gone stale.
    var hasLocation: Bool { gate.newestLocation() != nil }
    /// The status of each source.
    var statuses: [SourceStatus] { sources?.statuses ?? [] }

    /// Sets the sources of locations; `nil` at the end.
    func setSources(_ new: SourceGroup?) {
        sources?.shutdown()
        sources = new
        disclosures.forget()
    }

    /// Shuts the sources down and cancels timers.
    func shutdown() {
        conditions.shutdown()
        need.shutdown()
        setSources(nil)
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
            case .resetMotion:
                following.reset()
                for own in ownFollowing.values { own.reset() }
            case .setDemand(let demand): sources?.setDemand(demand)
            }
        }
    }

    private func publish(_ publication: Publication) {
        delivered.publications += 1
        delivered.offered += subscriptions.count - following.count
        var owedReduced: Set<String> = []
        var changed: [Subscription] = []
        disclosures.receive(publication)
        for subscription in subscriptions {
            // Frames are sent at their own rate.
            if let disclosure = gate.pass(.location(publication), to: subscription) {
                if !subscription.isFollowing { deliver(disclosure, to: subscription) }
                ownFollowing[subscription.id]?.receive(publication)
                if subscription.client.isEvaluatedEachTime {
                    subscription.notePermitted(publication)
                    if subscription.reviewed?.release != .full { changed.append(subscription) }
                }
                continue
            }
            let view = subscription.view(of: publication.position)
            if subscription.client.isEvaluatedEachTime {
                if view.release != nil { subscription.notePermitted(publication) }
                if subscription.reviewed != view { changed.append(subscription) }
            }
            if let accuracy = view.release {
                // An exact one is not due yet.
                if accuracy == .reduced { owedReduced.insert(subscription.client.key.client) }
                delivered.count(.filtered, isFrame: subscription.isFollowing)
                continue
            }
            if !subscription.isFollowing { delivered.forbidden += 1 }
            // A confirmation would not lift what a rule withholds.
            if !view.isWithheld, subscription.needsSource {
                queue.append(.askToConfirm(subscription.client, subscription.connection))
            }
        }
        owedReduced.formUnion(requests.receive(publication))
        for client in owedReduced { disclosures.reduced.release(for: client, from: publication) }
        following.receive(publication)
        // The location is inside of a place, or outside, unlike the last one.
        for subscription in changed { review(subscription) }
        let fix = conditions.fix(publication)
        let hasEvents = conditions.receive(publication, fix)
        if need.decideSleep(after: publication, fix, hasEvents: hasEvents, hasRequests: !requests.isEmpty) {
            updateNeed()
        }
    }

    private func deliver(_ disclosure: Disclosure, to subscription: Subscription) {
        let outcome = subscription.offer(disclosure)
        delivered.count(outcome, isFrame: subscription.isFollowing)
        if outcome == .delivered { disclosures.note(disclosure, to: subscription) }
    }

    private func publish(_ heading: SharedHeading) {
        following.receive(heading.heading)
        for (id, own) in ownFollowing {
            guard let subscription = own.followers.first(where: { $0.id == id }),
                gate.pass(.heading(heading), to: subscription) != nil
            else { continue }
            own.receive(heading.heading)
        }
        guard need.isHeadingNeeded else { return }
        for subscription in subscriptions where subscription.wantsHeading {
            if let disclosure = gate.pass(.heading(heading), to: subscription) {
                subscription.offer(disclosure)
            }
        }
    }

    private func publishUnavailability(_ cause: LocationCause) {
        disclosures.current.reviewAllLater()
        // Followers are notified after their last frame.
        let hasFrames = following.loseSource(cause)
        for subscription in subscriptions
        where !subscription.isFollowing || !hasFrames || subscription.getsOwnFrames {
            subscription.sendUnavailable(cause)
        }
    }

    /// Delivers a new reduced location to a client of all its users, or releases one if it is due and anybody may have it: one
    /// from a place in which a rule withholds it would put off the next, and so show that the user has been there.
    func releaseReduced(to name: String, of clients: [Client]) {
        let connections = clients.flatMap(\.connections.values)
        guard disclosures.reduced.newest(for: name) != nil else {
            let exact = connections.lazy.compactMap { [disclosures] connection in
                connection.subscriptions.values.lazy.compactMap {
                    disclosures.reducible(for: $0)
                }.first
                    ?? connection.requests.values.lazy.compactMap {
                        disclosures.reducible(for: $0)
                    }.first
            }.first
            if let exact {
                disclosures.reduced.release(for: name, from: exact)
            } else {
                disclosures.reduced.endReservation(for: name)
            }
            return
        }
        for connection in connections {
            for subscription in connection.subscriptions.values { catchUp(subscription) }
            for request in connection.requests.values { requests.answerIfKnown(request) }
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
        disclosures.current.reviewLater(subscription.client)
        need.remove(subscription)
        subscription.cancelTimer()
        following.remove(subscription)
        ownFollowing.removeValue(forKey: subscription.id)?.remove(subscription)
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
        let before = subscription.reviewed
        let isPermittedAnew = subscription.review()
        disclosures.current.reviewLater(subscription.client)
        need.count(subscription)
        updateOwnFrames(of: subscription)
        // After the user has left a place, the next frame is due when it would be if the receiver had a fix again.
        let wasWithheld = before?.isWithheld ?? false
        if isPermittedAnew, !(wasWithheld && subscription.getsOwnFrames) { catchUp(subscription) }
        if isPermittedAnew, subscription.isForHeadings {
            subscription.awaitHeading { [weak self] in self?.sources?.compassProblem }
        }
        if subscription.reviewed?.isWithheld ?? false {
            // The frames of a follower that had some go on by themselves.
            let hadAccess = before?.access.isPermitted ?? false
            if !subscription.isFollowing || !hadAccess { catchUp(subscription) }
            subscription.sendUnavailable(unavailability)
        }
        updateNeed()
    }

    /// Gives a subscription frames of its own, or ends them, by its access now.
    private func updateOwnFrames(of subscription: Subscription) {
        guard subscription.getsOwnFrames else {
            ownFollowing.removeValue(forKey: subscription.id)?.remove(subscription)
            return
        }
        guard ownFollowing[subscription.id] == nil else { return }
        let own = Following(queue: queue, share: share, horizon: Self.frameHorizon)
        ownFollowing[subscription.id] = own
        let newest = disclosures.newestExact(for: subscription)
        let current: Publication? = if case .location(let publication) = newest?.content { publication } else { nil }
        own.add(subscription, current: current)
    }

    /// Sends the current state to a starting or resuming subscription.
    private func catchUp(_ subscription: Subscription) {
        if subscription.client.isEvaluatedEachTime, let permitted = disclosures.newestPermitted(for: subscription) {
            subscription.notePermitted(permitted)
        }
        if let rate = subscription.frameRate, subscription.getsExactFrames || subscription.getsOwnFrames {
            let following = ownFollowing[subscription.id] ?? following
            if let frame = following.frame() {
                show(frame, to: subscription)
                following.start(rate)
            } else {
                sendAbsence(to: subscription)
            }
        } else if let disclosure = disclosures.newest(for: subscription) {
            guard !subscription.hasDelivered(disclosure) else { return }
            if !subscription.isFollowing { delivered.repeated += 1 }
            deliver(disclosure, to: subscription)
        } else {
            if let exact = disclosures.reducible(for: subscription) {
                disclosures.reduced.release(for: subscription.client.key.client, from: exact)
            }
            sendAbsence(to: subscription)
        }
    }

    /// Reports to a starting or resuming subscription that there is no location, if the sources have reported that. A client
    /// from which a rule about a place may withhold locations gets the report in any case, at once.
    private func sendAbsence(to subscription: Subscription) {
        guard unavailability != nil || subscription.absence == .uniform else { return }
        subscription.sendUnavailable(unavailability)
    }

    /// Sends the pending state to a subscription whose peer reads again.
    func resume(_ subscription: Subscription) {
        // Frames come by themselves.
        let known =
            subscription.getsExactFrames ? nil : disclosures.newest(for: subscription)
        if subscription.catchUp(with: known), let known {
            delivered.countCaughtUp(isFrame: subscription.isFollowing)
            disclosures.note(known, to: subscription)
        }
    }

    /// The time after a fix in which frames are predicted from it for a client from which a rule about a place may withhold
    /// locations: the usual interval between two fixes.
    private static let frameHorizon = TimeAmount.seconds(1)

    /// Sends the frame that was due at this time to the followers of a rate.
    func showFrame(of following: Following, _ rate: Int, due: NIODeadline) {
        following.showFrame(rate, due: due) { [unowned self] in show($0, to: $1) }
    }

    /// Sends a frame to a follower with access.
    private func show(_ frame: SharedFrame, to follower: Subscription) {
        guard let disclosure = gate.pass(.frame(frame), to: follower) else { return }
        deliver(disclosure, to: follower)
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
        gate.setResting(need.sleep.isAsleep)
    }

    /// Needs locations now for conditions and visits.
    func wakeReceiver() {
        need.wakeReceiver()
        updateNeed()
    }

    /// Lets the sources forget the past, because location services were switched off or because they are needed for other users:
    /// the result for one reveals where that one was.
    func forget() { sources?.forget() }

    /// The users for whom the sources are needed.
    private var users: Set<UInt32> {
        Set(
            subscriptions.lazy.filter(\.needsSource).map(\.connection.user.id) + requests.users + conditions.users)
    }
}

// MARK: Requests

extension Publisher {
    /// Answers a request at the end of its time.
    func giveUp(_ request: LocationRequest) {
        requests.giveUp(request) {
            request.reasonForNone(
                hasLocation: hasLocation, cause: unavailability ?? LocationCause(beforeReportOf: statuses))
        }
    }
}

extension SourceEvent {
    /// The reason for having no location; `nil` for another event.
    fileprivate var reason: UnavailableReason? { if case .unavailable(let reason) = self { reason } else { nil } }
}
