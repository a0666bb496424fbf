import CSystemd
import NIOCore

// What a crowd leaves behind.

extension Hub {
    /// Fewer connections than this are no crowd.
    private static let crowd = 64
    /// So few that are left of one do not matter.
    private static let few = 16
    private static let delay = TimeAmount.seconds(1)

    /// Gives the memory of those that have left back to the kernel, once most of a crowd have. The allocator would keep
    /// it for the next one.
    func giveBackMemoryLater() {
        guard mostSessions >= Self.crowd, sessions.count <= mostSessions / 4, memoryTimer == nil else { return }
        memoryTimer = eventLoop.assumeIsolated().scheduleTask(in: Self.delay) { [weak self] in
            self?.assumeIsolated { hub in
                hub.memoryTimer = nil
                // Those that are left are a crowd still, until they are few: what they leave is given back, too.
                hub.mostSessions =
                    hub.sessions.count > Self.few ? max(hub.sessions.count, Self.crowd) : hub.sessions.count
                locationd_give_back_memory()
            }
        }
    }
}
