import Glibc
import LocationModel

/// The database file in the state directory: checks its kind, creates it and sets a damaged one aside.
struct StoreFile {
    enum Kind {
        case absent
        /// Shorter than any database. SQLite would silently start a new one.
        case cutShort
        case file
        case somethingElse
    }

    /// Suffixes of SQLite's temporary files, which belong to this very database file.
    private static let companions = ["-journal", "-wal", "-shm"]

    let path: String

    init(in directory: StoreDirectory) {
        path = "\(directory.path)/locationd.db"
    }

    private init(path: String) { self.path = path }

    /// A file that is being written. It takes another path once it is whole.
    var draft: StoreFile { StoreFile(path: path + ".draft") }

    /// The whole file that is about to take the place of a damaged one.
    var replacement: StoreFile { StoreFile(path: path + ".new") }

    /// The mark by which the store recognizes that the file at the path is the one it opened, unchanged by others.
    struct State: Equatable {
        private let device, inode: UInt
        private let size: Int
        private let seconds, nanoseconds: Int

        init(_ status: stat) {
            (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
            (size, seconds, nanoseconds) = (status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }

        /// True if both are of the same file.
        func isSameFile(as other: State) -> Bool { device == other.device && inode == other.inode }
    }

    /// The state of the file at the path; `nil` if there is none.
    func state() throws(StoreError) -> State? { try status(of: path).map { State($0) } }

    /// Removes the file and its companions, where they exist.
    func remove() throws(StoreError) {
        for suffix in [""] + Self.companions where unlink(path + suffix) != 0 && errno != ENOENT {
            throw StoreError(path: path + suffix)
        }
    }

    /// Gives a closed file, whose companions are empty, the path of another one.
    func move(to other: StoreFile) throws(StoreError) {
        guard rename(path, other.path) == 0 else { throw StoreError(path: path) }
        try remove()
    }

    func kind() throws(StoreError) -> Kind {
        guard let status = try status(of: path) else { return .absent }
        guard status.st_mode & S_IFMT == S_IFREG else { return .somethingElse }
        return status.st_size < 512 ? .cutShort : .file
    }

    /// Creates an empty file that only its owner can read and write.
    func create() throws(StoreError) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(path: path) }
        close(descriptor)
    }

    /// Resets the mode to 0600, whatever it was.
    func makePrivate() throws(StoreError) {
        guard chmod(path, 0o600) == 0 else { throw StoreError(path: path) }
    }

    /// Renames the file to a name with the time of discovery; returns that name.
    func setAside(_ now: Timestamp) throws(StoreError) -> String {
        let name = "\(path).damaged-\(now)"
        var unused = name
        var count = 1
        while try status(of: unused) != nil {
            count += 1
            unused = "\(name)-\(count)"
        }
        // Rename the database first: after an interruption, companions without a database are found and renamed next
        // time.
        for suffix in [""] + Self.companions where try status(of: path + suffix) != nil {
            guard rename(path + suffix, unused + suffix) == 0 else { throw StoreError(path: path + suffix) }
        }
        return unused
    }

    /// True if a companion file holds content of the database. Empty ones are mere left-overs.
    func hasCompanions() throws(StoreError) -> Bool {
        for suffix in Self.companions {
            if let status = try status(of: path + suffix), status.st_size > 0 { return true }
        }
        return false
    }

    private func status(of path: String) throws(StoreError) -> stat? {
        var status = stat()
        if lstat(path, &status) == 0 { return status }
        guard errno == ENOENT else { throw StoreError(path: path) }
        return nil
    }
}
