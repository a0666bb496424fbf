import CLinux
package import NIOCore
import Pacing

/// Returns memory to the kernel after peaks, when most connections have been closed. The allocator would keep it for
/// the next peak.
///
/// Confined to the event loop.
package final class HeapTrimmer {
    /// The smallest number of connections that counts as a peak.
    private static let peakThreshold = 64
    /// The number of remaining connections below which a peak is over.
    private static let quietThreshold = 16
    private static let delay = TimeAmount.seconds(1)

    private let eventLoop: any EventLoop
    /// The most connections since memory was last returned.
    private var peak = 0
    /// The current number of connections.
    private var count = 0
    private var timer: LoopTimer?

    package init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Records the number of connections.
    package func note(_ count: Int) {
        self.count = count
        peak = max(peak, count)
    }

    /// Schedules the return of memory if few connections are left after a peak.
    package func scheduleIfDue(_ count: Int) {
        self.count = count
        guard peak >= Self.peakThreshold, count <= peak / 4, timer == nil else { return }
        timer = eventLoop.makeTimer(in: Self.delay) { [weak self] in
            guard let self else { return }
            timer = nil
            // If many connections remain, their memory is returned when they close, too.
            peak = self.count > Self.quietThreshold ? max(self.count, Self.peakThreshold) : self.count
            locationd_give_back_memory()
        }
    }

    package func cancel() { timer?.cancel() }
}
