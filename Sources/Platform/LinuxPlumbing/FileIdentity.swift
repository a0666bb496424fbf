import CLinux
import Glibc

/// Identifies a file by device and inode, whatever its path.
package struct FileIdentity: Hashable, Sendable {
    private var device: CUnsignedLongLong = 0
    private var inode: CUnsignedLongLong = 0

    /// The result of a look-up.
    package enum Search: Sendable {
        case found(FileIdentity)
        /// A directory in the path is not accessible.
        case closed
        case missing
        /// The kernel would have to ask a file system, which may block.
        case unknown
    }

    /// The file at a path if the kernel has it in memory. Never blocks.
    ///
    /// This is always so for a local file that a process runs, because the kernel keeps its path in memory.
    package static func known(at path: String) -> Search {
        let descriptor = locationd_open_cached(path)
        guard descriptor >= 0 else {
            switch errno {
            case EACCES: return .closed
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: return .missing
            default: return .unknown
            }
        }
        defer { close(descriptor) }
        return FileIdentity(descriptor, "").map { .found($0) } ?? .unknown
    }

    /// The file at a path. May block.
    package static func lookedUp(at path: String) -> Search {
        if let identity = FileIdentity(AT_FDCWD, path) { return .found(identity) }
        return errno == EACCES ? .closed : .missing
    }

    /// The file that a process runs. Never blocks, because the link refers to the file itself.
    package init?(runBy processID: Int32) {
        self.init(AT_FDCWD, "/proc/\(processID)/exe")
    }

    private init?(_ descriptor: Int32, _ path: String) {
        guard locationd_identify_file(descriptor, path, &device, &inode) == 0 else { return nil }
    }
}
