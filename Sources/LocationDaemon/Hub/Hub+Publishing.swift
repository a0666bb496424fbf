import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import Logging
import NIOCore
import Varlink

// What the source reports, and who gets it.

extension Hub {
    /// Passes on what the source reports. What was on its way when nobody needed it any more is not looked at.
    func receive(_ event: SourceEvent) {
        guard isSourceNeeded else { return }
        switch event {
        case .location(let location): publish(location)
        case .heading(let heading): publish(heading)
        case .unavailable(let reason): publishUnavailable(reason)
        }
    }

    private func publish(_ location: Location) {
        let isFirst = current == nil
        defer { if isFirst { onFirstLocation?() } }
        current = Newest(location: location, arrival: eventLoop.now)
        publication += 1
        unavailability = nil
        // Encoded once for all who may know exactly. What is known roughly is rare, and another for each client.
        var exact: EncodedReply?
        var rough: [String: Location?] = [:]
        // Apart, since what is done meanwhile may have somebody else catch up.
        var counts = DeliveryCounts()
        counts.publications = 1
        counts.offered = subscriptions.count - following.count
        for subscription in subscriptions.values {
            switch subscription.access {
            // Frames have a clock of their own.
            case .permitted(.full) where subscription.isFollowing: break
            case .permitted(.full):
                exact = exact ?? encodedDelivery()
                if let exact { deliver(location, exact, .full, to: subscription, &counts) }
            case .permitted(.reduced):
                let client = subscription.client.key.client
                let reduced = rough[client] ?? reductions[client]?.reduce(location, at: .now)
                rough[client] = .some(reduced)
                if let reduced {
                    deliver(reduced, nil, .reduced, to: subscription, &counts)
                } else {
                    counts.count(.filtered, isFrame: subscription.isFollowing)
                }
            case .suspended, .undecided, .refused:
                if !subscription.isFollowing { counts.forbidden += 1 }
                if subscription.access == .suspended {
                    confirmIfProvisional(subscription.client, subscription.session)
                }
            }
        }
        deliveries += counts
        for (id, request) in requests { offer(location, to: request, id) }
        carryOn(from: location)
    }

    private func deliver(
        _ location: Location, _ encoded: EncodedReply?, _ accuracy: AccuracyAuthorization,
        to subscription: Subscription, _ counts: inout DeliveryCounts
    ) {
        let outcome = subscription.offer(location, encoded: encoded)
        counts.count(outcome, isFrame: subscription.isFollowing)
        if outcome == .delivered { noteAccess(of: subscription.client, to: location, accuracy) }
    }

    private func publish(_ heading: Heading) {
        following.observe(heading, at: eventLoop.now)
        guard subscriptions.values.contains(where: \.wantsHeading),
            let encoded = encode(LocationInterface.Subscribe.Reply(heading: heading))
        else { return }
        for subscription in subscriptions.values {
            subscription.offer(heading, encoded: encoded)
        }
    }

    private func publishUnavailable(_ reason: UnavailableReason) {
        current = nil
        unavailability = reason
        following.loseSource(at: eventLoop.now)
        // Those who are shown frames hear it when there are no more.
        let hasFrames = following.frame(at: eventLoop.now) != nil
        for subscription in subscriptions.values where !subscription.isFollowing || !hasFrames {
            subscription.tellUnavailable()
        }
    }

    /// One of many replies to a subscription.
    func encode(_ reply: some Encodable) -> EncodedReply? {
        encoded { try EncodedReply(reply, continues: true) }
    }

    /// What is made of something that the source reported, if that can be said.
    func encoded(_ reply: () throws -> EncodedReply) -> EncodedReply? {
        do {
            return try reply()
        } catch {
            // What is no number cannot be said in JSON; sources check that, so this is a mistake of ours.
            logger.error("What the source reported could not be passed on: it is not a number.")
            return nil
        }
    }

    /// Gives a subscription, as it begins or resumes, what is known now.
    func catchUp(_ subscription: Subscription) {
        if let rate = subscription.frameRate, subscription.isShownExactly {
            catchUpFrames(subscription, rate)
        } else if let location = location(for: subscription.client, subscription.access) {
            guard !subscription.hasDelivered(location.location) else { return }
            var counts = DeliveryCounts()
            if !subscription.isFollowing { counts.repeated = 1 }
            let encoded = location.accuracy == .full ? encodedDelivery() : nil
            deliver(location.location, encoded, location.accuracy, to: subscription, &counts)
            deliveries += counts
        } else if unavailability != nil {
            subscription.tellUnavailable()
        }
    }

    /// Gives a subscription whose peer reads again what it is owed.
    func resume(_ subscription: Subscription) {
        // Frames come by themselves.
        let known = subscription.isShownExactly ? nil : location(for: subscription.client, subscription.access)
        if subscription.catchUp(with: known?.location), let known {
            deliveries.countCaughtUp(isFrame: subscription.isFollowing)
            noteAccess(of: subscription.client, to: known.location, known.accuracy)
        }
    }

    /// What a client with this access may be told now, if anything is known.
    func location(
        for client: Client, _ access: Access
    ) -> (location: Location, accuracy: AccuracyAuthorization)? {
        switch access {
        case .permitted(.full): return freshLocation.map { ($0, .full) }
        case .permitted(.reduced):
            // Asking again gives no further sample: what was told last is told again, until the next is due.
            let due = freshLocation.flatMap { reductions[client.key.client]?.reduce($0, at: .now) }
            return (due ?? reductions[client.key.client]?.newest(at: .now)).map { ($0, .reduced) }
        case .suspended, .undecided, .refused: return nil
        }
    }

    /// The newest location, unless it went stale.
    var freshLocation: Location? {
        guard let current,
            isSourceNeeded || eventLoop.now - current.arrival < Self.unwatchedLifetime
        else { return nil }
        return current.location
    }

    /// Takes locations from another source from now on.
    func replaceSource(by source: any LocationSource) {
        self.source?.shutdown()
        self.source = source
        // What the one before said is not known to be true of this one.
        current = nil
        unavailability = nil
        following.reset()
        if isSourceNeeded { source.setNeeded(true) }
    }

    /// How long a location may be kept for the next request while nobody watches the source: about as long as the
    /// source itself takes to call a receiver of one fix a second silent.
    private static let unwatchedLifetime = TimeAmount.seconds(3)

    /// The source works only while somebody waits for a location and may have it, or has it as soon as the user
    /// confirms.
    func updateNeed() {
        let isNeeded =
            !requests.isEmpty
            || subscriptions.values.contains { subscription in
                switch subscription.access {
                case .permitted: true
                case .suspended: subscription.client.authorization.needsConfirmation
                case .undecided, .refused: false
                }
            }
        guard isNeeded != isSourceNeeded else { return }
        // What came before a pause is not known to be true after it.
        if freshLocation == nil { current = nil }
        if !isNeeded { following.reset() }
        isSourceNeeded = isNeeded
        unavailability = nil
        source?.setNeeded(isNeeded)
    }
}
