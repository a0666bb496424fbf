import CSystemd
import Glibc
import Synchronization

/// The unit, the user unit and the session a process belongs to, as far as it has them.
///
/// All of it is parts of the path of the process's control group, and nothing else: systemd arranges processes so. But
/// libsystemd reads that path anew for each of them, a line at a time, which is most of the cost of a connection. So what
/// it said about the processes of a group is remembered for the next process of the same group.
public struct UnitMembership: Sendable {
    /// The unit of the system's service manager.
    public let systemdUnit: String?
    /// The unit of its user's service manager.
    public let userUnit: String?
    /// The slice of that.
    public let userSlice: String?
    /// The user in whose slice it is.
    public let owner: UInt32?
    /// The logind session.
    public let session: String?

    /// More groups than this are rarely busy at once; then it starts over.
    private static let capacity = 256
    /// By the text of `/proc/PID/cgroup`.
    private static let known = Mutex<[[UInt8]: UnitMembership]>([:])

    /// What is so of the process with this id, which the caller holds. Reads a file or two in `/proc`, never waits, and
    /// may be called on any thread.
    public init(of processID: Int32) {
        let group = Self.group(of: processID)
        if let group, let known = Self.known.withLock({ $0[group] }) {
            self = known
            return
        }
        systemdUnit = Self.string { sd_pid_get_unit(processID, $0) }
        userUnit = Self.string { sd_pid_get_user_unit(processID, $0) }
        userSlice = Self.string { sd_pid_get_user_slice(processID, $0) }
        session = Self.string { sd_pid_get_session(processID, $0) }
        var user = uid_t()
        owner = sd_pid_get_owner_uid(processID, &user) >= 0 ? user : nil
        // A process that was moved meanwhile says nothing about either group.
        guard let group, group == Self.group(of: processID) else { return }
        Self.known.withLock { [self] known in
            if known.count >= Self.capacity { known = [:] }
            known[group] = self
        }
    }

    /// The control group of the process; `nil` if it cannot be read or is too long to be worth remembering.
    private static func group(of processID: Int32) -> [UInt8]? {
        let file = open("/proc/\(processID)/cgroup", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            // The kernel gives the whole text at once if there is room for it.
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return Array(buffer[..<count])
        }
    }

    /// Takes the string that a libsystemd call allocated, if it found one.
    private static func string(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32) -> String? {
        var result: UnsafeMutablePointer<CChar>?
        defer { free(result) }
        guard call(&result) >= 0, let result else { return nil }
        return String(validatingCString: result)
    }
}
