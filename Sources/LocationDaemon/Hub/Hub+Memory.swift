import CSystemd
import NIOCore

// What a crowd leaves behind.

extension Hub {
    /// Fewer connections than this are no crowd.
    private static let crowd = 64
    private static let delay = TimeAmount.seconds(1)

    /// Gives the memory of those that have left back to the kernel, once most of a crowd have. The allocator would keep
    /// it for the next one.
    func giveBackMemoryLater() {
        guard mostSessions >= Self.crowd, sessions.count <= mostSessions / 4, memoryTimer == nil else { return }
        memoryTimer = eventLoop.assumeIsolated().scheduleTask(in: Self.delay) { [weak self] in
            self?.assumeIsolated { hub in
                hub.memoryTimer = nil
                hub.mostSessions = hub.sessions.count
                locationd_give_back_memory()
            }
        }
    }
}
