import NIOCore

/// A timer on an event loop with at most one pending action.
struct DeadlineTimer {
    private let eventLoop: any EventLoop
    private var scheduled: (deadline: NIODeadline, task: Scheduled<Void>)?

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Schedules `action` at `deadline` in place of the pending one, or nothing if `deadline` is `nil`.
    mutating func set(_ deadline: NIODeadline?, _ action: @escaping @Sendable () -> Void) {
        guard deadline != scheduled?.deadline || deadline.map({ $0 <= eventLoop.now }) == true else { return }
        scheduled?.task.cancel()
        scheduled = deadline.map { ($0, eventLoop.scheduleTask(deadline: $0, action)) }
    }

    mutating func cancel() {
        scheduled?.task.cancel()
        scheduled = nil
    }
}
