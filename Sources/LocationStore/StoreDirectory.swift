import Glibc

/// The state directory, held by one process at a time for as long as this lives.
///
/// SQLite locks the file, but who finds it damaged or missing has to be alone before there is a file to lock.
final class StoreDirectory {
    let path: String
    private let descriptor: Int32

    /// Makes the directory if only it is missing, and takes it.
    init(path: String) throws(StoreError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw StoreError(path: path) }
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw StoreError(path: path) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A child that has not got to its exec yet still has the descriptor, and the lock with it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Makes the names in the directory outlast a loss of power.
    func synchronize() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw StoreError(path: path) }
    }
}
