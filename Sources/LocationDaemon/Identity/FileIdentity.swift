import CSystemd
import Glibc

/// Which file something is, whatever its path.
struct FileIdentity: Hashable, Sendable {
    private var device: CUnsignedLongLong = 0
    private var inode: CUnsignedLongLong = 0

    /// What became of looking for a file.
    enum Search: Sendable {
        case found(FileIdentity)
        /// A directory on the way is closed to us.
        case closed
        case missing
        /// The kernel does not know without asking a file system, which may take any time.
        case unknown
    }

    /// The file at a path, as far as the kernel knows it. Never waits.
    ///
    /// A local file that is being run is always known by its path: the kernel keeps the way to it.
    static func known(at path: String) -> Search {
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

    /// The file at a path. Waits for its file system.
    static func lookedUp(at path: String) -> Search {
        if let identity = FileIdentity(AT_FDCWD, path) { return .found(identity) }
        return errno == EACCES ? .closed : .missing
    }

    /// The file that a process runs. Never waits: the link leads to the file itself, not to a path.
    init?(runBy processID: Int32) {
        self.init(AT_FDCWD, "/proc/\(processID)/exe")
    }

    private init?(_ descriptor: Int32, _ path: String) {
        guard locationd_identify_file(descriptor, path, &device, &inode) == 0 else { return nil }
    }
}
