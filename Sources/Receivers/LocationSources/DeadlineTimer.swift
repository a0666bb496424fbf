import NIOCore
import Pacing

/// A timer on an event loop with one deadline at most, for one action.
///
/// A deadline that is put off, as by each fix of a receiver, costs nothing: the event loop's timer stays, and is set again
/// when it was set for an earlier deadline. What is due before the deadline comes before the action, also on a loop that
/// was held up until after it: a fix that is only late in being read does not go stale.
///
/// Confined to its event loop.
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private var deadline: NIODeadline?
    private var scheduled: (time: NIODeadline, timer: LoopTimer)?
    /// The action, performed at the deadline.
    var action: () -> Void = {}

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Sets the deadline in place of the earlier one; `nil` for none.
    func set(_ deadline: NIODeadline?) {
        self.deadline = deadline
        if let scheduled {
            if let deadline, scheduled.time <= deadline { return }
            scheduled.timer.cancel()
        }
        scheduled = deadline.map { time in
            (time, eventLoop.makeTimer(at: time) { [weak self] in self?.fire() })
        }
    }

    private func fire() {
        let time = scheduled?.time
        scheduled = nil
        // By what the timer was set for, not by the time it is: a late loop still has to perform what is due in between.
        if let deadline, let time, time < deadline { return set(deadline) }
        deadline = nil
        action()
    }
}
