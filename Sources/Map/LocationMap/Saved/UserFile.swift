import Glibc
import POSIXSupport

/// A file of the user's that several programs may change: each change is made to the file as it is then.
struct UserFile<Failure: Error> {
    /// The path of the file.
    let path: String
    /// The largest file that is read and written, in bytes.
    let maximumSize: Int
    /// Returns the error for a reason, which has no capital letter and no full stop.
    let failure: @Sendable (_ reason: String) -> Failure

    /// Returns the content; `nil` if there is no file.
    func read() throws(Failure) -> [UInt8]? {
        do {
            return try SmallFile.read(path, limit: maximumSize)
        } catch {
            guard error.code != ENOENT else { return nil }
            throw failure("\(error)")
        }
    }

    /// Replaces the file, whose directory is locked.
    func write(_ bytes: [UInt8]) throws(Failure) {
        do {
            try AtomicFile.write(bytes, to: target, mode: 0o600)
        } catch {
            throw failure("\(error as? Errno ?? Errno(EIO))")
        }
    }

    /// The file itself: who keeps it elsewhere has a symbolic link at the path, which stays.
    private var target: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Makes the directory if necessary, and locks it; closing the descriptor unlocks it. Other programs wait.
    func lockDirectory() throws(Failure) -> Int32 {
        let directory = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        var made = ""
        for name in directory.split(separator: "/") {
            made += "/" + name
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw failure("\(Errno())") }
        }
        do throws(Errno) {
            return try FileLock.directory(String(directory), waits: true, followsLink: true)
        } catch {
            throw failure("\(error)")
        }
    }
}
