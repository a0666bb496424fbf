package import NIOCore

/// A time slice on an event loop, for work that is done in pieces so that it does not block the loop.
///
/// NIO's loop polls its sockets only when no task is due. So work that has used up its slice pauses for twice as long
/// as the slice took: even if several kinds of work use up their slices, the loop polls between them. A piece that itself
/// takes long ends that, so the pause has a limit.
package struct LoopSlice {
    private static let length = TimeAmount.milliseconds(1)
    private static let shortestPause = TimeAmount.microseconds(50)
    private static let longestPause = TimeAmount.milliseconds(10)

    private let eventLoop: any EventLoop
    private let start: NIODeadline

    /// Starts a slice now.
    package init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        start = eventLoop.now
    }

    /// True if the slice began so long ago that the loop must have polled its sockets since.
    package var isPast: Bool { eventLoop.now - start >= Self.length * 3 }

    /// True if the time slice is used up.
    package var isOver: Bool { eventLoop.now - start >= Self.length }

    /// Continues the work in a new slice after a pause.
    package func resumeLater(_ work: @escaping @Sendable () -> Void) {
        let elapsed = eventLoop.now - start
        eventLoop.scheduleTask(in: min(max(elapsed * 2, Self.shortestPause), Self.longestPause), work)
    }
}
