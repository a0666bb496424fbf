import CLinux
import Glibc

/// A process identified by a pidfd, so that it cannot be confused with a later one of the same id.
///
/// Two values are equal if they refer to the same process.
public final class WatchedProcess: Sendable, Hashable, CustomStringConvertible {
    /// The process id in the caller's pid namespace.
    public let processID: Int32
    /// The pidfd; readable once the process has ended.
    package let descriptor: Int32
    /// The start time; `nil` if the process had ended before it could be read.
    private let startTime: UInt64?
    /// The inode of the pidfd, which identifies the process uniquely since Linux 6.9; before, it is the same for all.
    /// Start times alone count in hundredths of a second, so with few ids two processes can share one.
    private let number: UInt

    /// Takes over `pidfd`, which refers to the process `processID`. The descriptor is closed with this object.
    public init(processID: Int32, owning pidfd: Int32) {
        self.processID = processID
        descriptor = pidfd
        let startTime = ProcessStatus(processID: processID)?.startTime
        // The status read belongs to this process only if it still has the id.
        self.startTime = Self.hasExited(pidfd) ? nil : startTime
        var status = stat()
        number = fstat(pidfd, &status) == 0 ? status.st_ino : 0
    }

    /// The process that has this id now; `nil` if there is none.
    ///
    /// Only for callers who know that the id still belongs to the intended process.
    public convenience init?(processID: Int32) {
        let descriptor = locationd_pidfd_open(processID)
        guard descriptor >= 0 else { return nil }
        self.init(processID: processID, owning: descriptor)
    }

    /// True once the process has ended.
    public var hasExited: Bool { Self.hasExited(descriptor) }

    private static func hasExited(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) != 0
    }

    deinit { close(descriptor) }

    /// For messages.
    public var description: String { "process \(processID)" }

    /// True if both refer to the same process.
    public static func == (lhs: WatchedProcess, rhs: WatchedProcess) -> Bool {
        lhs.processID == rhs.processID && lhs.startTime == rhs.startTime && lhs.number == rhs.number
    }

    /// Hashes the properties that identify the process.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(processID)
        hasher.combine(startTime)
        hasher.combine(number)
    }
}
