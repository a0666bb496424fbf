import Glibc

/// Locks files and directories, each of which one process at a time has, with flock(2).
package enum FileLock {
    /// Opens a directory and locks it. Closing the descriptor unlocks it, unless a child that has not become another program yet
    /// has it, too.
    ///
    /// - Parameters:
    ///   - waits: false to throw `EWOULDBLOCK` while another process has the lock.
    ///   - followsLink: true to lock the directory that a symbolic link at the path refers to, false to throw.
    package static func directory(_ path: String, waits: Bool, followsLink: Bool = false) throws(Errno) -> Int32 {
        try lock(open(path, O_RDONLY | O_DIRECTORY | (followsLink ? 0 : O_NOFOLLOW) | O_CLOEXEC), waits)
    }

    /// Opens a file and locks it, as ``directory(_:waits:)`` does. Makes the file if necessary, for the user only.
    package static func file(_ path: String, waits: Bool) throws(Errno) -> Int32 {
        try lock(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600), waits)
    }

    private static func lock(_ descriptor: Int32, _ waits: Bool) throws(Errno) -> Int32 {
        guard descriptor >= 0 else { throw Errno() }
        while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            let error = Errno()
            if error.code == EINTR { continue }
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
