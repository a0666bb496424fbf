import LocationConditions
import NIOCore
import Pacing

/// Lets the receiver sleep while only conditions, visits and significant changes are wanted.
///
/// It performs the decisions of its ``ReceiverSchedule``. Times are those of the continuous clock, which continues in suspend; the
/// event loop's timers do not, so a long wait is divided. Confined to the event loop.
final class ReceiverSleep {
    /// The longest time in which a resume from suspend goes unnoticed.
    private static let slice = Duration.seconds(60)

    private enum State {
        /// Nothing that permits sleep is wanted.
        case unwanted
        case asleep(until: ContinuousClock.Instant, searching: Duration)
        /// Awake, with a fix or the start of the search at `since`. It gives up at `until`.
        case awake(since: ContinuousClock.Instant, until: ContinuousClock.Instant, afterSleep: Bool)
    }

    private let queue: CoreQueue
    private var state = State.unwanted
    private var schedule = ReceiverSchedule()
    private var timer: LoopTimer?
    /// The current time.
    var now: () -> ContinuousClock.Instant = { .now }

    init(queue: CoreQueue) { self.queue = queue }

    /// True while no fix is needed for what permits sleep.
    var isAsleep: Bool { if case .asleep = state { true } else { false } }

    /// Needs fixes now, because something was added or may have changed.
    func wake() {
        if case .awake = state { return }
        search(from: now(), for: .seconds(schedule.searchTime))
    }

    /// Begins, unless it has begun.
    func begin() { if case .unwanted = state { wake() } }

    /// Ends: nothing that permits sleep is wanted, or other needs keep the receiver on.
    func end() {
        state = .unwanted
        timer?.cancel()
        timer = nil
    }

    /// Decides after a fix.
    func receive(
        _ fix: ConditionFix, speed: Double?, borders: ConditionSet.NearestBorders, isDeciding: Bool, hasEvents: Bool,
        nextLook: ContinuousClock.Instant?
    ) {
        if case .awake(let since, _, afterSleep: true) = state {
            schedule.receiverStarted(in: since.duration(to: fix.time) / .seconds(1))
        }
        apply(
            schedule.demand(
                after: fix, speed: speed, borders: borders, isDeciding: isDeciding, hasEvents: hasEvents,
                nextLook: nextLook), at: fix.time)
    }

    private func apply(_ demand: ReceiverSchedule.Demand, at time: ContinuousClock.Instant) {
        switch demand {
        case .continuous: search(from: time, for: .seconds(schedule.searchTime))
        case .asleep(let until, let searching):
            state = .asleep(until: until, searching: searching)
            setTimer(until)
        }
    }

    private func search(from start: ContinuousClock.Instant, for time: Duration, afterSleep: Bool = false) {
        // A timer that runs while awake fires early, and is set again then: not with each fix.
        let hasTimer = if case .awake = state { timer != nil } else { false }
        state = .awake(since: start, until: start + time, afterSleep: afterSleep)
        if !hasTimer { setTimer(start + time) }
    }

    private func setTimer(_ time: ContinuousClock.Instant) {
        timer?.cancel()
        // Not before `time`, which has fractions of the timers' unit.
        let delay = TimeAmount(min(max(.zero, now().duration(to: time)), Self.slice)) + .nanoseconds(1)
        timer = queue.makeTimer(in: delay) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        timer = nil
        let time = now()
        switch state {
        case .unwanted: return
        case .asleep(let until, let searching):
            guard time >= until else { return setTimer(until) }
            search(from: time, for: searching, afterSleep: true)
        case .awake(_, let until, _):
            guard time >= until else { return setTimer(until) }
            apply(schedule.searchFailed(at: time), at: time)
        }
        // It sleeps now, or wakes.
        queue.append(.updateNeed)
    }
}
