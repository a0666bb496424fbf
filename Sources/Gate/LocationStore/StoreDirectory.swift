import Glibc
import POSIXSupport

/// The state directory, locked by one process for the lifetime of this object.
///
/// SQLite locks the file itself, but a missing or damaged file has to be replaced before there is a file to lock.
final class StoreDirectory {
    let path: String
    private let descriptor: Int32

    /// Creates the directory, but not its parents, and locks it.
    init(path: String) throws(StoreError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw StoreError(path: path) }
        self.path = path
        do throws(Errno) {
            // systemd may have put a link there.
            descriptor = try FileLock.directory(path, waits: false, followsLink: true)
        } catch {
            throw StoreError(systemError: error.code, path: path)
        }
    }

    deinit {
        // Unlock explicitly: a forked child that has not called exec yet still holds the descriptor, and with it the
        // lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Flushes the directory's entries to disk.
    func synchronize() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw StoreError(path: path) }
    }
}
