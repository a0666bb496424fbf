package import NIOCore

/// How long work that could go on may keep an event loop, and for how long it then leaves the loop to others.
///
/// NIO's loop looks at its sockets once no task is due any more. So what has used up its slice stays away for twice as long
/// as it took: where several kinds of work fill their slices, none of them is due again before the loop has looked.
package struct LoopSlice {
    private static let length = TimeAmount.milliseconds(1)
    private static let shortestPause = TimeAmount.microseconds(50)

    private let eventLoop: any EventLoop
    private let start: NIODeadline

    /// Begins now.
    package init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        start = eventLoop.now
    }

    /// Whether it began so long ago that the loop has looked at its sockets since, if only this work keeps it.
    package var isPast: Bool { eventLoop.now - start >= Self.length * 3 }

    /// Whether it is used up.
    package var isOver: Bool { eventLoop.now - start >= Self.length }

    /// Goes on with the work in a slice of its own.
    package func resumeLater(_ work: @escaping @Sendable () -> Void) {
        let elapsed = eventLoop.now - start
        eventLoop.scheduleTask(in: max(elapsed * 2, Self.shortestPause), work)
    }
}
