import LocationInterface
import LocationModel
import LocationTracking
import NIOCore
import Varlink

// Frames for those who follow. While nobody does there is nothing here, and nothing is computed.

/// The subscriptions that follow, and what carries the user's position on between the fixes: one for all, since it is
/// the same user.
struct Following {
    /// Those with the same rate: they get the same frames.
    fileprivate struct Group {
        var followers: [ObjectIdentifier: Subscription] = [:]
        /// The next frame, while frames flow.
        var tick: Scheduled<Void>?
    }

    fileprivate var groups: [Int: Group] = [:]
    /// How many there are.
    var count: Int { groups.values.reduce(0) { $0 + $1.followers.count } }
    private var motion: MotionFilter?

    /// Begins anew, without what was known of how the user moves.
    mutating func reset() { motion = groups.isEmpty ? nil : MotionFilter() }

    mutating func observe(_ location: Location, at arrival: NIODeadline) {
        _ = motion?.observe(location, at: arrival.instant)
    }

    mutating func observe(_ heading: Heading, at arrival: NIODeadline) {
        motion?.observe(heading, at: arrival.instant)
    }

    mutating func loseSource(at deadline: NIODeadline) { motion?.sourceLost(at: deadline.instant) }

    /// What to show at this moment; `nil` when nothing is known.
    mutating func frame(at deadline: NIODeadline) -> TrackingFrame? { motion?.frame(at: deadline.instant) }
}

extension NIODeadline {
    /// The same moment on the clock of the motion filter, of which only differences count.
    fileprivate var instant: ContinuousClock.Instant { Self.origin + .nanoseconds(uptimeNanoseconds) }
    private static let origin = ContinuousClock.now
}

extension Hub {
    /// Counts a subscription in, if it follows.
    func startFollowing(_ subscription: Subscription) {
        guard let rate = subscription.frameRate else { return }
        let isFirst = following.groups.isEmpty
        following.groups[rate, default: .init()].followers[subscription.id] = subscription
        guard isFirst else { return }
        following.reset()
        if let current, freshLocation != nil { following.observe(current.location, at: current.arrival) }
    }

    /// Counts a subscription out.
    func stopFollowing(_ subscription: Subscription) {
        guard let rate = subscription.frameRate else { return }
        following.groups[rate]?.followers[subscription.id] = nil
        guard following.groups[rate]?.followers.isEmpty == true else { return }
        following.groups.removeValue(forKey: rate)?.tick?.cancel()
        if following.groups.isEmpty { following.reset() }
    }

    /// Carries on from a location that came.
    func carryOn(from location: Location) {
        guard !following.groups.isEmpty else { return }
        following.observe(location, at: eventLoop.now)
        for rate in following.groups.keys { startFrames(rate) }
    }

    /// Shows a follower that may know exactly where the user is now, or says that this is not known.
    func catchUpFrames(_ subscription: Subscription, _ rate: Int) {
        if let frame = following.frame(at: eventLoop.now),
            let encoded = encode(LocationInterface.Follow.Reply(frame: frame))
        {
            show(frame, encoded, to: subscription)
            startFrames(rate)
        } else if unavailability != nil {
            subscription.tellUnavailable()
        }
    }

    /// Sees to it that frames flow, if somebody of that rate may have them.
    private func startFrames(_ rate: Int) {
        guard let group = following.groups[rate], group.tick == nil,
            group.followers.values.contains(where: \.isShownExactly)
        else { return }
        scheduleFrame(rate, at: eventLoop.now + Self.interval(rate))
    }

    /// Between two frames.
    private static func interval(_ rate: Int) -> TimeAmount { .nanoseconds(1_000_000_000 / Int64(rate)) }

    private func scheduleFrame(_ rate: Int, at deadline: NIODeadline) {
        following.groups[rate]?.tick = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            self?.assumeIsolated { $0.showFrame(rate, due: deadline) }
        }
    }

    /// Shows the next frame to all of a rate. When there is nothing to show, or nobody who may see it, that was the last.
    private func showFrame(_ rate: Int, due: NIODeadline) {
        following.groups[rate]?.tick = nil
        guard let group = following.groups[rate] else { return }
        let frame = following.frame(at: eventLoop.now)
        guard let frame, let encoded = encode(LocationInterface.Follow.Reply(frame: frame)) else {
            for follower in group.followers.values where follower.isShownExactly {
                follower.tellUnavailable()
            }
            return
        }
        var isShown = false
        for follower in group.followers.values where follower.isShownExactly {
            isShown = true
            show(frame, encoded, to: follower)
        }
        // In step with the last, unless the loop was held up for longer than a frame.
        let next = due + Self.interval(rate)
        if isShown { scheduleFrame(rate, at: max(next, eventLoop.now)) }
    }

    private func show(_ frame: TrackingFrame, _ encoded: EncodedReply, to follower: Subscription) {
        let outcome = follower.offer(frame, encoded: encoded)
        deliveries.count(outcome, isFrame: true)
        // The history counts fixes, however many frames show each.
        if outcome == .delivered, let current {
            noteAccess(of: follower.client, to: current.location, .full)
        }
    }
}
