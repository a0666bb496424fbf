package import LocationModel
import Logging
import NIOCore

/// A source that plays a recorded track with current times.
///
/// The reports come at the recording's own pace or a multiple of it, and are processed like those of a gpsd. At twice the pace the simulated receiver moves and reports twice the speed, so positions and
/// speeds agree. Every location is marked as simulated. While locations are not needed, the track pauses.
package final class ReplaySource: LocationSource, @unchecked Sendable {
    // Sendable: everything is used on `eventLoop` only; the entries check it.

    package let kind = Location.SourceInformation.Kind.receiver
    private let track: RecordedTrack
    private let pace: Double
    private let repeats: Bool
    private let context: SourceContext
    private let timer: DeadlineTimer
    private var state = SourceStatus.Connection.idle
    /// The index of the next entry; the end index when the track is over.
    private var next = 0
    /// The start of the current playback: on the loop's clock, on the wall clock, and in the track's own time.
    private var start: (deadline: NIODeadline, time: Timestamp, offset: TimeAmount)?

    /// A source whose locations are not needed yet.
    ///
    /// - Parameters:
    ///   - track: the track to play.
    ///   - pace: the multiple of the recorded pace; above 0.
    ///   - repeats: true to start again at the end; otherwise there is no location from then on.
    package init(track: RecordedTrack, pace: Double = 1, repeats: Bool = true, context: SourceContext) {
        self.track = track
        self.pace = pace
        self.repeats = repeats
        self.context = context
        timer = DeadlineTimer(eventLoop: context.eventLoop)
        timer.action = { [weak self] in self?.play() }
    }

    /// Resumes or pauses the track.
    package func setDemand(_ demand: LocationDemand) {
        context.eventLoop.preconditionInEventLoop()
        let needed = demand > .off
        guard state != .closed, needed != (state == .connected) else { return }
        state = needed ? .connected : .idle
        if needed {
            context.logger.debug("Replaying \(track.name), simulated")
            context.report(.connected)
            begin(at: next < track.entries.count ? track.entries[next].offset : track.duration)
            play()
        } else {
            start = nil
            timer.set(nil)
        }
    }

    /// The current status of the source.
    package var status: SourceStatus {
        context.eventLoop.preconditionInEventLoop()
        return SourceStatus(connection: state, endpoint: device)
    }

    /// Shuts the source down.
    package func shutdown() {
        context.eventLoop.preconditionInEventLoop()
        state = .closed
        timer.set(nil)
    }

    private var device: String { "replay:\(track.name)" }

    /// Sets the current position in the track.
    private func begin(at offset: TimeAmount) {
        start = (context.eventLoop.now, context.wallClock(), offset)
    }

    /// The time from `start` until a position in the track is reached, capped at thirty years.
    private func delay(until offset: TimeAmount) -> TimeAmount {
        guard let start else { return .zero }
        return .nanoseconds(Int64(min(Double((offset - start.offset).nanoseconds) / pace, 1e18)))
    }

    /// Reports the entries that are due, and schedules the next.
    private func play() {
        let now = context.eventLoop.now
        while let start, let due = dueTime, due <= now {
            guard next < track.entries.count else {
                next = 0
                begin(at: .zero)
                continue
            }
            let entry = track.entries[next]
            next += 1
            let time = start.time.advanced(by: .nanoseconds(delay(until: entry.offset).nanoseconds))
            context.report(.receiver(entry.report.replayed(at: time, device: device, pace: pace), clock: nil))
        }
        guard state == .connected else { return }
        timer.set(dueTime)
    }

    /// The time of the next entry or of the next repetition.
    private var dueTime: NIODeadline? {
        guard let start else { return nil }
        guard next < track.entries.count else { return repeats ? start.deadline + delay(until: track.duration) : nil }
        return start.deadline + delay(until: track.entries[next].offset)
    }
}
