import Glibc

// A file beside the database that exists while anything is watched: by it the service manager starts the service with the
// machine, and by nothing else would it learn that, because the database is the service's own.
extension LocationStore {
    private var markPath: String { "\(directoryPath)/watching" }

    /// True if the file exists.
    package var isMarked: Bool { access(markPath, F_OK) == 0 }

    /// Creates the file, or removes it.
    package func mark(_ isWatching: Bool) throws(StoreError) {
        guard isWatching else {
            guard unlink(markPath) == 0 || errno == ENOENT else { throw StoreError(path: markPath) }
            return
        }
        let descriptor = Glibc.open(markPath, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreError(path: markPath) }
        Glibc.close(descriptor)
    }
}
