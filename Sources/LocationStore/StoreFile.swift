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
