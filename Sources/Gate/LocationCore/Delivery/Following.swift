import LocationModel
import MotionEstimation
import NIOCore
import Pacing

/// The subscriptions for frames, and the motion filter that predicts the position between fixes. All share one filter,
/// because they share the receiver. Without followers nothing is computed.
///
/// A follower from which a rule about a place may withhold locations has one of its own, which is given the locations that the
/// follower may have, and no others: its frames, and the moments at which they come, show nothing of the rest.
///
/// Confined to the event loop.
final class Following {
    /// The followers of one user at one rate, and the progress of the current frame among them.
    private final class Audience {
        var followers: [Subscription] = []
        /// The frame being sent, and the index of the next follower; `nil` between two frames.
        var showing: (frame: SharedFrame, next: Int)?
    }

    /// The followers with the same rate, who get the same frames.
    private final class Group {
        var audiences: [UInt32: Audience] = [:]
        /// The timer of the next frame.
        var tick: LoopTimer?
        var isEmpty: Bool { audiences.isEmpty }
    }

    /// The number of followers served between two checks of the time slice.
    private static let chunk = 8

    private let queue: CoreQueue
    private let share: LoopShare
    /// The time after a location for which frames are predicted from it; `nil` for as long as the motion is known. Set for a
    /// single follower from which a rule about a place may withhold locations.
    private let horizon: TimeAmount?
    private var groups: [Int: Group] = [:]
    private(set) var count = 0
    private var motion: MotionFilter?
    /// The location that frames are predicted from.
    private var publication: Publication?
    /// True if no receiver measured that location: it says nothing of motion, and frames show it as it is.
    private var isStanding: Bool { publication?.location.sourceInformation?.kind?.isReceiver == false }
    /// The last heading, and its arrival, for frames of such a location.
    private var heading: (degrees: Double, arrival: NIODeadline)?
    /// The reason for the end of frames, once the source has reported one.
    private var loss: LocationCause?

    init(queue: CoreQueue, share: LoopShare, horizon: TimeAmount? = nil) {
        self.queue = queue
        self.share = share
        self.horizon = horizon
    }

    /// True if a follower is sent these frames. Whether it may have one is decided when the frame is released.
    private func serves(_ follower: Subscription) -> Bool {
        horizon != nil || follower.getsExactFrames && !follower.getsOwnFrames
    }

    /// Resets the motion filter.
    func reset() {
        motion = groups.isEmpty ? nil : MotionFilter()
        (publication, loss, heading) = (nil, nil, nil)
    }

    /// Adds a follower. The first one starts the filter with the current location.
    func add(_ subscription: Subscription, current: Publication?) {
        guard let rate = subscription.frameRate else { return }
        let isFirst = groups.isEmpty
        let group = groups[rate] ?? Group()
        groups[rate] = group
        let audience = group.audiences[subscription.connection.user.id] ?? Audience()
        group.audiences[subscription.connection.user.id] = audience
        audience.followers.append(subscription)
        count += 1
        guard isFirst else { return }
        reset()
        if let current { observe(current) }
    }

    /// Removes a follower.
    func remove(_ subscription: Subscription) {
        guard let rate = subscription.frameRate, let group = groups[rate],
            let audience = group.audiences[subscription.connection.user.id],
            let index = audience.followers.firstIndex(where: { $0 === subscription })
        else { return }
        audience.followers.swapAt(index, audience.followers.count - 1)
        audience.followers.removeLast()
        count -= 1
        if audience.followers.isEmpty { group.audiences[subscription.connection.user.id] = nil }
        guard group.isEmpty else { return }
        group.tick?.cancel()
        groups[rate] = nil
        if groups.isEmpty { reset() }
    }

    /// Updates the filter with a new location.
    func receive(_ publication: Publication) {
        guard !groups.isEmpty else { return }
        observe(publication)
        for rate in groups.keys { start(rate) }
    }

    func receive(_ heading: Heading) {
        motion?.observe(heading, at: now.instant)
        self.heading = (heading.trueHeading, now)
        guard isStanding else { return }
        for rate in groups.keys { start(rate) }
    }

    /// Handles the loss of the source; returns true if frames continue for a while.
    func loseSource(_ cause: LocationCause) -> Bool {
        loss = cause
        if isStanding { publication = nil }
        motion?.sourceLost(at: now.instant)
        return frame() != nil
    }

    private var now: NIODeadline { queue.eventLoop.now }

    /// All followers.
    var followers: [Subscription] { groups.values.flatMap { $0.audiences.values.flatMap(\.followers) } }

    /// The frame for this moment; `nil` if the position is unknown.
    func frame() -> SharedFrame? {
        if let horizon, let publication, now - publication.arrival > horizon { return nil }
        if isStanding { return standingFrame() }
        guard var frame = motion?.frame(at: now.instant) else { return nil }
        frame.altitude = publication?.location.altitude
        return SharedFrame(frame, at: now, from: publication)
    }

    private func standingFrame() -> SharedFrame? {
        guard let publication else { return nil }
        let now = self.now
        var frame = TrackingFrame(standingAt: publication.location)
        frame.age = .nanoseconds((now - publication.arrival).nanoseconds)
        frame.heading = heading.flatMap { now - $0.arrival < Gate.lifetime ? $0.degrees : nil }
        return SharedFrame(frame, at: now, from: publication)
    }

    /// Starts frames at a rate, if one of its followers may have them.
    func start(_ rate: Int) {
        guard let group = groups[rate], group.tick == nil,
            group.audiences.values.contains(where: { $0.followers.contains(where: serves) })
        else { return }
        schedule(rate, at: now + Self.interval(rate))
    }

    private func observe(_ publication: Publication) {
        (self.publication, loss) = (publication, nil)
        // This location was not measured, so the next measured one continues no motion.
        if isStanding { return motion = MotionFilter() }
        _ = motion?.observe(publication.location, at: publication.arrival.instant)
    }

    /// The time between two frames.
    private static func interval(_ rate: Int) -> TimeAmount { .nanoseconds(1_000_000_000 / Int64(rate)) }

    private func schedule(_ rate: Int, at deadline: NIODeadline) {
        groups[rate]?.tick = queue.makeTimer(at: deadline) { [weak self, queue] in
            if let self { queue.append(.showFrame(self, rate, due: deadline)) }
        }
    }

    /// Sends the next frame to all followers of a rate. Stops if there is no frame, or no follower with access.
    ///
    /// - Parameter show: sends a frame to a follower with access.
    func showFrame(_ rate: Int, due: NIODeadline, _ show: @escaping (SharedFrame, Subscription) -> Void) {
        guard let group = groups[rate] else { return }
        group.tick = nil
        guard let frame = frame() else {
            for audience in group.audiences.values {
                share.forEach(audience.followers, for: audience.followers[0].connection.user.id) {
                    if self.serves($0) { $0.sendUnavailable(self.loss) }
                }
            }
            return
        }
        for (user, audience) in group.audiences { self.show(frame, to: audience, of: user, show) }
        guard group.audiences.values.contains(where: { $0.followers.contains(where: serves) }) else { return }
        // The next location or heading has the next one.
        if isStanding { return }
        // In step with the last frame, unless the loop was held up for longer than a frame.
        schedule(rate, at: max(due + Self.interval(rate), now))
    }

    /// Sends a frame to the followers of one user, in the user's share of the loop. If the previous frame has not
    /// reached all of them, the rest get the newer one.
    private func show(
        _ frame: SharedFrame, to audience: Audience, of user: UInt32,
        _ show: @escaping (SharedFrame, Subscription) -> Void
    ) {
        let isUnderWay = audience.showing != nil
        audience.showing = (frame, audience.showing?.next ?? 0)
        guard !isUnderWay else { return }
        share.repeating(for: user) {
            guard let (frame, next) = audience.showing else { return false }
            let end = min(next + Self.chunk, audience.followers.count)
            for follower in audience.followers[min(next, end)..<end] where self.serves(follower) {
                show(frame, follower)
            }
            audience.showing = end < audience.followers.count ? (frame, end) : nil
            return audience.showing != nil
        }
    }
}

extension NIODeadline {
    /// The same moment on the motion filter's clock, of which only differences count.
    fileprivate var instant: ContinuousClock.Instant { Self.origin + .nanoseconds(uptimeNanoseconds) }
    private static let origin = ContinuousClock.now
}
