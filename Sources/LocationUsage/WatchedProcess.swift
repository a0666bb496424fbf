import CSystemd
import Glibc

/// A process that is held by a pidfd, so that it cannot be taken for another that gets its id later.
///
/// Two values are equal if they hold the same process.
public final class WatchedProcess: Sendable, Hashable, CustomStringConvertible {
    /// Its id, in the pid namespace of the caller.
    public let processID: Int32
    /// Refers to the process; readable once it has ended.
    let descriptor: Int32
    /// `nil` if it had ended before it could be read.
    private let startTime: UInt64?
    /// What the kernel numbers processes by for good, since Linux 6.9. Start times count in hundredths of a second, and
    /// where ids are few two processes can have the same one within that. Before 6.9 the same number for all.
    private let number: UInt

    /// The process that `pidfd` refers to, whose id is `processID`. The descriptor is closed with this object.
    public init(processID: Int32, owning pidfd: Int32) {
        self.processID = processID
        descriptor = pidfd
        let startTime = ProcessStatus(processID: processID)?.startTime
        // What was read is about this process only if that still has the id.
        self.startTime = Self.hasExited(pidfd) ? nil : startTime
        var status = stat()
        number = fstat(pidfd, &status) == 0 ? status.st_ino : 0
    }

    /// The process that has this id now; `nil` if none has.
    ///
    /// Only for a caller who knows by other means that the id is still that of the process it has in mind.
    public convenience init?(processID: Int32) {
        let descriptor = locationd_pidfd_open(processID)
        guard descriptor >= 0 else { return nil }
        self.init(processID: processID, owning: descriptor)
    }

    /// Whether it has ended.
    public var hasExited: Bool { Self.hasExited(descriptor) }

    private static func hasExited(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) != 0
    }

    deinit { close(descriptor) }

    /// For messages.
    public var description: String { "process \(processID)" }

    /// Whether both are the same process.
    public static func == (lhs: WatchedProcess, rhs: WatchedProcess) -> Bool {
        lhs.processID == rhs.processID && lhs.startTime == rhs.startTime && lhs.number == rhs.number
    }

    /// Hashes what makes a process the same.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(processID)
        hasher.combine(startTime)
        hasher.combine(number)
    }
}
