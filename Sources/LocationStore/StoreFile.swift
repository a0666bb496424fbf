import Glibc
import LocationModel

/// The store's file in its directory: what is there, making it, and setting it aside.
struct StoreFile {
    enum Kind {
        case absent
        /// Shorter than any database: nothing is left in it, and SQLite would begin a new one without a word.
        case cutShort
        case file
        case somethingElse
    }

    /// What SQLite keeps beside a file while it changes it. It belongs to that very file.
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

    /// Makes an empty file that only its owner may read and write.
    func create() throws(StoreError) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(path: path) }
        close(descriptor)
    }

    /// Takes away what others may do with the file, whoever gave it to them.
    func makePrivate() throws(StoreError) {
        guard chmod(path, 0o600) == 0 else { throw StoreError(path: path) }
    }

    /// Gives whatever is in the file's place a name that says what it is and when it was found; returns the name.
    func setAside(_ now: Timestamp) throws(StoreError) -> String {
        let name = "\(path).damaged-\(now)"
        var unused = name
        var count = 1
        while try status(of: unused) != nil {
            count += 1
            unused = "\(name)-\(count)"
        }
        // The file goes first: should this be interrupted, its companions are found without it and go the next time.
        for suffix in [""] + Self.companions where try status(of: path + suffix) != nil {
            guard rename(path + suffix, unused + suffix) == 0 else { throw StoreError(path: path + suffix) }
        }
        return unused
    }

    /// Whether something of the file's content is in its companions; one that is empty is merely left over.
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
