import CSystemd
import NIOCore

/// Returns memory to the kernel after peaks, once most of a crowd of connections have left. The allocator would keep it for
/// the next crowd.
///
/// Confined to the event loop.
struct MemoryReturn {
    /// Fewer connections than this are no crowd.
    private static let crowd = 64
    /// So few that are left of one do not matter.
    private static let few = 16
    private static let delay = TimeAmount.seconds(1)

    private final class State {
        /// The most connections at once since memory was returned.
        var peak = 0
        /// How many there are now.
        var count = 0
        var timer: Scheduled<Void>?
    }

    private let eventLoop: any EventLoop
    private let state = State()

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// There are so many connections now.
    func note(_ count: Int) {
        state.count = count
        state.peak = max(state.peak, count)
    }

    /// So many are left.
    func scheduleIfDue(_ count: Int) {
        state.count = count
        guard state.peak >= Self.crowd, count <= state.peak / 4, state.timer == nil else { return }
        state.timer = eventLoop.assumeIsolated().scheduleTask(in: Self.delay) { [state] in
            state.timer = nil
            // Those that are left are a crowd still, until they are few: what they leave is returned, too.
            state.peak = state.count > Self.few ? max(state.count, Self.crowd) : state.count
            locationd_give_back_memory()
        }
    }

    func cancel() { state.timer?.cancel() }
}
