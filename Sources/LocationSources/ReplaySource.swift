public import LocationModel
public import Logging
public import NIOCore

/// Plays a recorded track as if its receiver were here and now.
///
/// The reports come at the recording's own pace, or so many times faster, with the times of now, and go the same way as
/// those of gpsd: through `ReceiverTracker`. At twice the pace the receiver that is simulated moves twice as fast, and
/// says so: what a client makes of positions and of speeds agrees. Every location says that it is simulated. While nobody
/// needs locations the track stands still.
public final class ReplaySource: LocationSource, @unchecked Sendable {
    // Sendable: everything is used on `eventLoop` only; the entries check it.

    private let track: RecordedTrack
    private let pace: Double
    private let repeats: Bool
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let wallClock: @Sendable () -> Timestamp
    private let handler: @Sendable (SourceEvent) -> Void
    private var tracker = ReceiverTracker(preferredDevice: nil)
    private var timer: DeadlineTimer
    private var state = SourceStatus.Connection.idle
    /// The next entry to play; the end when the track is over.
    private var next = 0
    /// Where in the track it was begun to play: on the loop's clock, on the wall's, and in the track's own time.
    private var start: (deadline: NIODeadline, time: Timestamp, offset: TimeAmount)?

    /// A source that is not needed yet.
    ///
    /// - Parameters:
    ///   - track: what to play.
    ///   - pace: how many times as fast as it was recorded; above 0.
    ///   - repeats: whether the track begins again at its end; otherwise there is no location from then on.
    ///   - eventLoop: where the source lives.
    ///   - logger: never told a coordinate.
    ///   - wallClock: the time that the locations are given.
    ///   - handler: told every event, on `eventLoop`.
    public init(
        track: RecordedTrack,
        pace: Double = 1,
        repeats: Bool = true,
        eventLoop: any EventLoop,
        logger: Logger,
        wallClock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        handler: @escaping @Sendable (SourceEvent) -> Void
    ) {
        self.track = track
        self.pace = pace
        self.repeats = repeats
        self.eventLoop = eventLoop
        self.logger = logger
        self.wallClock = wallClock
        self.handler = handler
        timer = DeadlineTimer(eventLoop: eventLoop)
    }

    /// Goes on with the track, or lets it stand still.
    public func setNeeded(_ needed: Bool) {
        eventLoop.preconditionInEventLoop()
        guard state != .closed, needed != (state == .connected) else { return }
        state = needed ? .connected : .idle
        tracker.setNeeded(needed, at: eventLoop.now)
        if needed {
            logger.debug("Replaying \(track.name), simulated")
            _ = tracker.setConnected(true, at: eventLoop.now)
            begin(at: next < track.entries.count ? track.entries[next].offset : track.duration)
            play()
        } else {
            start = nil
            timer.cancel()
        }
    }

    /// What the source is doing at this moment.
    public var status: SourceStatus {
        eventLoop.preconditionInEventLoop()
        return SourceStatus(
            connection: state,
            endpoint: device,
            gpsdVersion: nil,
            lastError: nil,
            receivers: tracker.status(at: eventLoop.now),
            counters: .init(droppedBackward: tracker.droppedBackward, lateRefinements: tracker.lateRefinements))
    }

    /// Stops for good.
    public func shutdown() {
        eventLoop.preconditionInEventLoop()
        state = .closed
        timer.cancel()
    }

    private var device: String { "replay:\(track.name)" }

    /// Lets it be so long after the track's beginning now.
    private func begin(at offset: TimeAmount) {
        start = (eventLoop.now, wallClock(), offset)
    }

    /// How long after `start` it comes to what is so long after the track's beginning. At a snail's pace that may be in
    /// ages, of which thirty years are as good as any.
    private func delay(until offset: TimeAmount) -> TimeAmount {
        guard let start else { return .zero }
        return .nanoseconds(Int64(min(Double((offset - start.offset).nanoseconds) / pace, 1e18)))
    }

    /// Plays what is due, tells what comes of it, and waits for the rest.
    private func play() {
        let now = eventLoop.now
        var events: [SourceEvent] = []
        while let start, let due = dueTime, due <= now {
            guard next < track.entries.count else {
                next = 0
                begin(at: .zero)
                continue
            }
            let entry = track.entries[next]
            next += 1
            let time = start.time.advanced(by: .nanoseconds(delay(until: entry.offset).nanoseconds))
            events += tracker.receive(entry.report.replayed(at: time, device: device, pace: pace), at: now)
        }
        events += tracker.tick(at: now)
        for event in events where state == .connected { handler(event) }
        guard state == .connected else { return }
        timer.set([dueTime, tracker.nextDeadline].compactMap(\.self).min()) { [weak self] in self?.play() }
    }

    /// When the next entry is to be played, or the track to begin again.
    private var dueTime: NIODeadline? {
        guard let start else { return nil }
        guard next < track.entries.count else { return repeats ? start.deadline + delay(until: track.duration) : nil }
        return start.deadline + delay(until: track.entries[next].offset)
    }
}
