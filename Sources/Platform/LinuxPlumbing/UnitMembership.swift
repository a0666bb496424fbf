import CSystemd
import Glibc
import Synchronization

/// The unit, user unit and session of a process. Those that it does not have are `nil`.
///
/// All of them follow from the path of the process's control group. libsystemd would read that path again for each of
/// them, which is most of the cost of a connection, so results are cached by control group.
public struct UnitMembership: Sendable {
    /// The unit of the system's service manager.
    public let systemdUnit: String?
    /// The unit of its user's service manager.
    public let userUnit: String?
    /// The slice of the user unit.
    public let userSlice: String?
    /// The user in whose slice the process is.
    public let owner: UInt32?
    /// The logind session.
    public let session: String?

    /// The capacity of the cache, which is emptied when it is full.
    private static let capacity = 256
    /// The cache, by the text of `/proc/PID/cgroup`.
    private static let known = Mutex<[[UInt8]: UnitMembership]>([:])

    package init(systemdUnit: String?) {
        self.systemdUnit = systemdUnit
        (userUnit, userSlice, owner, session) = (nil, nil, nil, nil)
    }

    /// Reads the membership of the process that has this id now: it counts only if the caller finds the process still
    /// alive afterwards. Reads a few small files in `/proc`, never blocks, and may be called on any thread.
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

    /// The control group of the process; `nil` if it cannot be read or is too long to cache.
    private static func group(of processID: Int32) -> [UInt8]? {
        let file = open("/proc/\(processID)/cgroup", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            // The kernel delivers the whole text at once if it fits.
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return Array(buffer[..<count])
        }
    }

    /// Takes over the string that a libsystemd call has allocated.
    private static func string(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32) -> String? {
        var result: UnsafeMutablePointer<CChar>?
        defer { free(result) }
        guard call(&result) >= 0, let result else { return nil }
        return String(validatingCString: result)
    }
}
