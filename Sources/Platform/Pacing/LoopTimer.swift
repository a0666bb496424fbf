package import NIOCore

/// A timer that fires once on an event loop, and not after it is cancelled.
///
/// NIO's own `Scheduled` may run after its cancellation: when both fall into the same turn of the loop, the loop has already
/// taken the task out of its queue.
///
/// Confined to its event loop, therefore `@unchecked Sendable`.
package final class LoopTimer: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private var action: (() -> Void)?
    private var callback: NIOScheduledCallback?

    fileprivate init(at deadline: NIODeadline, on eventLoop: any EventLoop, _ action: @escaping () -> Void) {
        (self.eventLoop, self.action) = (eventLoop, action)
        // A loop that has ended has no timers either.
        callback = try? eventLoop.assumeIsolated().scheduleCallback(at: deadline, handler: self)
    }

    /// Cancels the timer, and lets go of its action.
    package func cancel() {
        eventLoop.preconditionInEventLoop()
        guard action != nil else { return }
        action = nil
        callback?.cancel()
    }
}

extension LoopTimer: NIOScheduledCallbackHandler {
    package func handleScheduledCallback(eventLoop: some EventLoop) {
        let action = action
        self.action = nil
        action?()
    }
}

extension EventLoop {
    /// Performs `action` at this time. Call it on the event loop; letting go of the timer does not cancel it.
    package func makeTimer(at deadline: NIODeadline, _ action: @escaping () -> Void) -> LoopTimer {
        LoopTimer(at: deadline, on: self, action)
    }

    /// Performs `action` after this time. Call it on the event loop; letting go of the timer does not cancel it.
    package func makeTimer(in delay: TimeAmount, _ action: @escaping () -> Void) -> LoopTimer {
        makeTimer(at: now + delay, action)
    }
}
