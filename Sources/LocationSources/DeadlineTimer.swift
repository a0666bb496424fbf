import NIOCore

/// At most one task that an event loop has to do later.
struct DeadlineTimer {
    private let eventLoop: any EventLoop
    private var scheduled: (deadline: NIODeadline, task: Scheduled<Void>)?

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Has `action` done at `deadline` and no other time, or nothing if that is `nil`.
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
