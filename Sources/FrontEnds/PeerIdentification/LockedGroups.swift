import LinuxPlumbing
import Synchronization

/// The control groups of the machine, for several threads.
final class LockedGroups: Sendable {
    private let groups = Mutex(ControlGroups())

    /// True if the kernel names the control group of a socket. Without the unified hierarchy, as in some containers, it names none.
    var isUnified: Bool { groups.withLock { $0.isUnified } }

    /// The processes that may hold a socket that was created in a control group; `nil` if the group is gone. Where the kernel
    /// names no group, these are all processes of the user.
    func processes(in group: UInt64?, of userID: UInt32) -> [Int32]? {
        groups.withLock { groups in
            guard groups.isUnified else { return SocketHolders.processes(of: userID) }
            return group.flatMap { groups.processes(in: $0, of: userID) }
        }
    }
}
