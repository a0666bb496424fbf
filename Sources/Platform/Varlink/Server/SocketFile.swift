import Glibc
import Synchronization

/// A socket file with a lock that makes its replacement safe.
///
/// A stale socket file can be recognised only by connecting, and before it is replaced another server may do the same.
/// So a lock file stands beside it while the server listens; only the same user and root can open it, so nobody else
/// can keep the server from starting.
final class SocketFile: Sendable {
    private let path: String
    private let identity: Identity
    private let lock: Mutex<CInt?>

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
        }
    }

    private init(path: String, identity: Identity, lock: CInt) {
        self.path = path
        self.identity = identity
        self.lock = Mutex(lock)
    }

    private static func lockPath(_ path: String) -> String { path + ".lock" }

    /// Creates a socket at this path that does not listen yet, so that nobody can connect before its mode is set.
    static func bind(path: String, mode: UInt32) throws(VarlinkServerError) -> (SocketFile, descriptor: CInt) {
        let address = try UnixAddress(path)
        let lock = try takeLock(path)
        var descriptor: CInt = -1
        do throws(VarlinkServerError) {
            try removeStale(address)
            descriptor = try address.makeSocket()
            guard address.withSockaddr({ Glibc.bind(descriptor, $0, $1) }) == 0 else { throw failure("bind", path) }
            guard chmod(path, mode) == 0 else { throw failure("set the mode of", path) }
            guard let identity = try identify(path) else { throw failure("find", path) }
            return (SocketFile(path: path, identity: identity, lock: lock), descriptor)
        } catch {
            if descriptor >= 0 { Glibc.close(descriptor) }
            Glibc.close(lock)
            throw error
        }
    }

    /// Removes the file, unless it was replaced, and the lock. Does nothing the second time.
    func remove() {
        lock.withLock { lock in
            guard let descriptor = lock else { return }
            if let now = try? Self.identify(path), now == identity { unlink(path) }
            unlink(Self.lockPath(path))
            Glibc.close(descriptor)
            lock = nil
        }
    }

    /// Takes the lock. Its last owner may remove the file between opening and locking it: then try again.
    private static func takeLock(_ path: String) throws(VarlinkServerError) -> CInt {
        let lockPath = lockPath(path)
        while true {
            let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw failure("open", lockPath) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let error = errno == EWOULDBLOCK ? VarlinkServerError.alreadyListening(path) : failure("lock", lockPath)
                Glibc.close(descriptor)
                throw error
            }
            var mine = stat()
            if fstat(descriptor, &mine) == 0, let named = try identify(lockPath, isSocket: false),
                named == Identity(mine)
            {
                return descriptor
            }
            Glibc.close(descriptor)
        }
    }

    private static func removeStale(_ address: UnixAddress) throws(VarlinkServerError) {
        guard try identify(address.path) != nil else { return }
        let probe = try address.makeSocket()
        defer { Glibc.close(probe) }
        if address.withSockaddr({ connect(probe, $0, $1) }) == 0 { throw .alreadyListening(address.path) }
        switch errno {
        case ECONNREFUSED:
            guard unlink(address.path) == 0 || errno == ENOENT else { throw failure("remove", address.path) }
        case ENOENT: break
        // The queue of connections is full.
        case EAGAIN: throw .alreadyListening(address.path)
        default: throw failure("connect to", address.path)
        }
    }

    /// - Returns: `nil` if the file does not exist.
    private static func identify(_ path: String, isSocket: Bool = true) throws(VarlinkServerError) -> Identity? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("look at", path)
        }
        if isSocket, status.st_mode & S_IFMT != S_IFSOCK { throw .notASocket(path) }
        return Identity(status)
    }

    private static func failure(_ operation: String, _ path: String) -> VarlinkServerError {
        .system(operation: operation, path: path, errno: errno)
    }
}
