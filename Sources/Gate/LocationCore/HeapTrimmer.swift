import CLinux
package import NIOCore
import Pacing

/// Returns memory to the kernel after peaks, when most connections have been closed. The allocator would keep it for
/// the next peak.
///
/// Confined to the event loop.
package struct HeapTrimmer {
    /// The smallest number of connections that counts as a peak.
    private static let peakThreshold = 64
    /// The number of remaining connections below which a peak is over.
    private static let quietThreshold = 16
    private static let delay = TimeAmount.seconds(1)

    private final class State {
        /// The most connections since memory was last returned.
        var peak = 0
        /// The current number of connections.
        var count = 0
        var timer: LoopTimer?
    }

    private let eventLoop: any EventLoop
    private let state = State()

    package init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Records the number of connections.
    package func note(_ count: Int) {
        state.count = count
        state.peak = max(state.peak, count)
    }

    /// Schedules the return of memory if few connections are left after a peak.
    package func scheduleIfDue(_ count: Int) {
        state.count = count
        guard state.peak >= Self.peakThreshold, count <= state.peak / 4, state.timer == nil else { return }
        state.timer = eventLoop.makeTimer(in: Self.delay) { [state] in
            state.timer = nil
            // If many connections remain, their memory is returned when they close, too.
            state.peak = state.count > Self.quietThreshold ? max(state.count, Self.peakThreshold) : state.count
            locationd_give_back_memory()
        }
    }

    package func cancel() { state.timer?.cancel() }
}
