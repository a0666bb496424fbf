import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import Logging
import NIOCore

/// What the source reports, and who gets it: subscriptions, requests and followers.
///
/// Confined to the event loop.
final class Publisher {
    /// How long a location counts as fresh without anybody saying so: while nobody watches the source, and for a request
    /// that waited for a more exact one. About as long as the source itself takes to call a receiver of one fix a second
    /// silent.
    private static let lifetime = TimeAmount.seconds(3)

    private let eventLoop: any EventLoop
    private let share: LoopShare
    private let accesses: AccessLog
    let rough: RoughLocations
    private let following: Following

    private var source: (any LocationSource)?
    /// Whether the source has been told that somebody needs locations: only then does it say when one goes stale.
    private(set) var isSourceNeeded = false
    /// The newest location while the source has one; `nil` once it went stale.
    private(set) var current: Publication?
    /// Why there is none, if the source has said so since the last one.
    private(set) var unavailability: UnavailableReason?

    /// Counts what the source reported.
    private var number: UInt64 = 0
    private var subscriptions: ContiguousArray<Subscription> = []
    private var requests: [ObjectIdentifier: LocationRequest] = [:]
    /// How many subscriptions need the source.
    private var needy = 0
    /// How many of the subscriptions take headings.
    private var headings = 0
    /// What became of the locations.
    private(set) var counts = DeliveryCounts()

    /// Called when there is a location after there was none.
    var onFirstLocation: (() -> Void)?
    /// Called when a location is due to a client that is not in use.
    var onSuspendedDelivery: (Subscription) -> Void = { _ in }

    init(eventLoop: any EventLoop, share: LoopShare, accesses: AccessLog, rough: RoughLocations) {
        self.eventLoop = eventLoop
        self.share = share
        self.accesses = accesses
        self.rough = rough
        following = Following(eventLoop: eventLoop, share: share)
        following.show = { [unowned self] in show($0, to: $1) }
    }

    var subscriptionCount: Int { subscriptions.count }
    var requestCount: Int { requests.count }
    var status: SourceStatus? { source?.status }

    /// Takes locations from this source from now on.
    func setSource(_ new: (any LocationSource)?) {
        source?.shutdown()
        source = new
        // What the one before said is not known to be true of this one.
        current = nil
        unavailability = nil
        following.reset()
        if isSourceNeeded { new?.setNeeded(true) }
    }
}

// MARK: Freshness

extension Publisher {
    /// Whether a location may still be handed out as where the user is.
    ///
    /// The newest one may until the source says that it went stale; while nobody watches the source, for ``lifetime``. An
    /// earlier one may for ``lifetime`` after it came, while the source has a location at all.
    func isFresh(_ publication: Publication) -> Bool {
        guard let current else { return false }
        if publication === current, isSourceNeeded { return true }
        return eventLoop.now - publication.arrival < Self.lifetime
    }

    /// The newest location, unless it went stale.
    var fresh: Publication? { current.flatMap { isFresh($0) ? $0 : nil } }

    /// The position that a recipient may have now, if anything is known: what passes the gate.
    func disclosure(to recipient: some Recipient, client: Client) -> Disclosure? {
        if let fresh, let exact = Gate.pass(.location(fresh), to: recipient, isFresh: true) { return exact }
        // Asking again gives no further sample: what was told last is told again, until the next is due.
        return rough.newest(for: client.key.client).flatMap { Gate.pass(.rough($0), to: recipient, isFresh: true) }
    }
}

// MARK: What the source reports

extension Publisher {
    /// Passes on what the source reports. What was on its way when nobody needed it any more is not looked at.
    func receive(_ event: SourceEvent) {
        guard isSourceNeeded else { return }
        switch event {
        case .location(let location):
            number += 1
            publish(Publication(location, arrival: eventLoop.now, number: number))
        case .heading(let heading): publish(SharedHeading(heading))
        case .unavailable(let reason): publishUnavailable(reason)
        }
    }

    private func publish(_ publication: Publication) {
        let isFirst = current == nil
        defer { if isFirst { onFirstLocation?() } }
        current = publication
        unavailability = nil
        var new = DeliveryCounts()
        new.publications = 1
        new.offered = subscriptions.count - following.count
        var owedRough: Set<String> = []
        var suspended: [Subscription] = []
        for subscription in subscriptions {
            // Frames have a clock of their own.
            if let disclosure = Gate.pass(.location(publication), to: subscription, isFresh: true) {
                if !subscription.isFollowing { deliver(disclosure, to: subscription, &new) }
                continue
            }
            switch subscription.access {
            case .permitted:
                owedRough.insert(subscription.client.key.client)
                new.count(.filtered, isFrame: subscription.isFollowing)
            case .suspended, .undecided, .refused:
                if !subscription.isFollowing { new.forbidden += 1 }
                if subscription.isNeedy { suspended.append(subscription) }
            }
        }
        counts += new
        for subscription in suspended { onSuspendedDelivery(subscription) }
        for request in requests.values {
            offer(publication, to: request)
            if case .permitted(.reduced) = request.evaluation.access { owedRough.insert(request.client.key.client) }
        }
        for client in owedRough { releaseIfDue(client) }
        following.receive(publication)
    }

    private func deliver(_ disclosure: Disclosure, to subscription: Subscription, _ counts: inout DeliveryCounts) {
        let outcome = subscription.offer(disclosure)
        counts.count(outcome, isFrame: subscription.isFollowing)
        if outcome == .delivered { note(disclosure, to: subscription.client, by: subscription.connection.door) }
    }

    /// Notes in the history what a client was given.
    private func note(_ disclosure: Disclosure, to client: Client, by door: Door) {
        switch disclosure.content {
        case .location(let publication): accesses.note(client, by: door, publication, accuracy: .full)
        // The history counts fixes, however many frames show each.
        case .frame(let frame):
            if let publication = frame.publication { accesses.note(client, by: door, publication, accuracy: .full) }
        case .rough(let publication): accesses.note(client, by: door, publication, accuracy: .reduced)
        case .heading: break
        }
    }

    private func publish(_ heading: SharedHeading) {
        following.receive(heading.heading)
        guard headings > 0 else { return }
        for subscription in subscriptions where subscription.wantsHeading {
            if let disclosure = Gate.pass(.heading(heading), to: subscription, isFresh: true) {
                subscription.offer(disclosure)
            }
        }
    }

    private func publishUnavailable(_ reason: UnavailableReason) {
        current = nil
        unavailability = reason
        // Those who are shown frames hear it when there are no more.
        let hasFrames = following.loseSource()
        for subscription in subscriptions where !subscription.isFollowing || !hasFrames {
            subscription.tellUnavailable()
        }
    }

    /// Releases a rough location of a client from the newest exact one, if one is due.
    private func releaseIfDue(_ client: String) {
        rough.release(for: client) { [weak self] in self?.fresh }
    }

    /// A client may have a rough location that it did not have before.
    func releaseRough(to client: String) {
        guard rough.newest(for: client) != nil else { return releaseIfDue(client) }
        for subscription in subscriptions where subscription.client.key.client == client { catchUp(subscription) }
        for request in requests.values where request.client.key.client == client { answerIfKnown(request) }
    }
}

// MARK: Subscriptions

extension Publisher {
    /// Counts a subscription in.
    func add(_ subscription: Subscription) {
        subscription.index = subscriptions.count
        subscriptions.append(subscription)
        subscription.connection.subscriptions[subscription.id] = subscription
        subscription.connection.user.subscriptions += 1
        if subscription.wantsHeading { headings += 1 }
        following.add(subscription, current: fresh)
    }

    /// Counts a subscription out.
    func remove(_ subscription: Subscription) {
        guard subscription.connection.subscriptions.removeValue(forKey: subscription.id) != nil else { return }
        let last = subscriptions.removeLast()
        if last !== subscription {
            subscriptions[subscription.index] = last
            last.index = subscription.index
        }
        subscription.connection.user.subscriptions -= 1
        if subscription.wantsHeading { headings -= 1 }
        if subscription.isNeedy { needy -= 1 }
        following.remove(subscription)
        updateNeed()
    }

    /// Counts whether subscriptions need the source, after something has changed that their access may depend on. At once,
    /// before any of them is told: nothing is looked at that nobody may have.
    func countNeeds(_ subscriptions: some Sequence<Subscription>) {
        for subscription in subscriptions { countNeed(subscription) }
        updateNeed()
    }

    /// Looks at a subscription's access anew, after something has changed that it may depend on.
    func review(_ subscription: Subscription) {
        let isPermittedAnew = subscription.review()
        countNeed(subscription)
        // First what is known, then the need: what a source knew before it was needed again is old.
        if isPermittedAnew { catchUp(subscription) }
        updateNeed()
    }

    private func countNeed(_ subscription: Subscription) {
        let isNeedy =
            switch subscription.access {
            case .permitted: true
            // As soon as the user confirms.
            case .suspended: subscription.evaluation.needsConfirmation
            case .undecided, .refused: false
            }
        if isNeedy != subscription.isNeedy {
            subscription.isNeedy = isNeedy
            needy += isNeedy ? 1 : -1
        }
    }

    /// Gives a subscription, as it begins or resumes, what is known now.
    private func catchUp(_ subscription: Subscription) {
        if let rate = subscription.frameRate, subscription.isShownExactly {
            if let frame = following.frame() {
                show(frame, to: subscription)
                following.start(rate)
            } else if unavailability != nil {
                subscription.tellUnavailable()
            }
        } else if let disclosure = disclosure(to: subscription, client: subscription.client) {
            guard !subscription.hasDelivered(disclosure) else { return }
            // Apart, since a delivery may have somebody else catch up.
            var new = DeliveryCounts()
            if !subscription.isFollowing { new.repeated = 1 }
            deliver(disclosure, to: subscription, &new)
            counts += new
        } else if case .permitted(.reduced) = subscription.access {
            releaseIfDue(subscription.client.key.client)
            if unavailability != nil { subscription.tellUnavailable() }
        } else if unavailability != nil {
            subscription.tellUnavailable()
        }
    }

    /// Gives a subscription whose peer reads again what it is owed.
    func resume(_ subscription: Subscription) {
        // Frames come by themselves.
        let known = subscription.isShownExactly ? nil : disclosure(to: subscription, client: subscription.client)
        if subscription.catchUp(with: known), let known {
            counts.countCaughtUp(isFrame: subscription.isFollowing)
            note(known, to: subscription.client, by: subscription.connection.door)
        }
    }

    /// Shows a frame to a follower who may have it.
    private func show(_ frame: SharedFrame, to follower: Subscription) {
        guard let disclosure = Gate.pass(.frame(frame), to: follower, isFresh: true) else { return }
        let outcome = follower.offer(disclosure)
        counts.count(outcome, isFrame: true)
        if outcome == .delivered { note(disclosure, to: follower.client, by: follower.connection.door) }
    }

    /// The source works only while somebody waits for a location and may have it, or has it as soon as the user confirms.
    func updateNeed() {
        let isNeeded = needy > 0 || !requests.isEmpty
        guard isNeeded != isSourceNeeded else { return }
        // What came before a pause is not known to be true after it.
        if fresh == nil { current = nil }
        if !isNeeded { following.reset() }
        isSourceNeeded = isNeeded
        unavailability = nil
        source?.setNeeded(isNeeded)
    }
}

// MARK: Requests

extension Publisher {
    /// Has a request that may know wait for a location, or answers it at once.
    func add(_ request: LocationRequest) {
        answerIfKnown(request)
        guard !request.isEnded else { return }
        requests[request.id] = request
        request.connection.requests[request.id] = request
        // The time begins when waiting does: how long the user takes to decide is no matter of the receiver.
        request.timer = eventLoop.assumeIsolated().scheduleTask(in: request.timeout) { [weak self, weak request] in
            if let request { self?.giveUp(request) }
        }
        updateNeed()
    }

    /// Forgets a request that has been answered, or whose peer has gone.
    func remove(_ request: LocationRequest) {
        guard requests.removeValue(forKey: request.id) != nil else { return }
        request.connection.requests[request.id] = nil
        request.timer?.cancel()
        updateNeed()
    }

    /// Answers a request with what is known, if that is good enough and may be had.
    func answerIfKnown(_ request: LocationRequest) {
        if let fresh { offer(fresh, to: request) }
        guard !request.isEnded, let disclosure = disclosure(to: request, client: request.client) else {
            if case .permitted(.reduced) = request.evaluation.access, !request.isEnded {
                releaseIfDue(request.client.key.client)
            }
            return
        }
        // No rough location is as exact as was asked for, and no better one will come.
        if case .rough = disclosure.content { answer(request, disclosure) }
    }

    private func offer(_ publication: Publication, to request: LocationRequest) {
        guard request.isExactEnough(publication.location) else {
            return request.keep(publication, isFresh: isFresh)
        }
        if let disclosure = Gate.pass(.location(publication), to: request, isFresh: isFresh(publication)) {
            answer(request, disclosure)
        }
    }

    private func answer(_ request: LocationRequest, _ disclosure: Disclosure) {
        counts.answered += 1
        note(disclosure, to: request.client, by: request.connection.door)
        request.answer(disclosure)
        remove(request)
    }

    /// The time is up: answers with the most exact of the fresh locations, if the client may have it now.
    private func giveUp(_ request: LocationRequest) {
        let best = request.best(isFresh: isFresh)
            .flatMap { Gate.pass(.location($0), to: request, isFresh: isFresh($0)) }
        if let best {
            answer(request, best)
        } else {
            let reason =
                if case .permitted(.reduced) = request.evaluation.access, fresh != nil {
                    "No approximate location is due yet: there is one in 15 minutes at most."
                } else {
                    (unavailability ?? .silent).sentence
                }
            request.end(.error(LocationInterface.LocationUnavailable(reason: reason)))
            remove(request)
        }
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
