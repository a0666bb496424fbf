import Glibc

/// Atomic creation and replacement of files.
enum NewFile {
    /// Creates a file for its owner only, and opens it. It appears under its name with all of `content` on disk; on
    /// file systems without unnamed files (such as FAT) it is visible while still empty for a moment.
    ///
    /// - Throws: when a file of that name exists, or the file cannot be created.
    static func create(_ path: String, _ content: [UInt8]) throws(TrackError) -> Int32 {
        let directory = directory(of: path)
        // O_TMPFILE, a macro that Swift does not import.
        let nameless = open(directory, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        if nameless < 0, [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) {
            return try createInPlace(path, content)
        }
        guard nameless >= 0 else { throw TrackError(file: path, verb: "made") }
        do throws(TrackError) {
            try fill(nameless, content, path)
            let number = "/proc/self/fd/\(nameless)"
            guard linkat(AT_FDCWD, number, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
                throw TrackError(file: path, verb: "made")
            }
            try synchronize(directory, path)
        } catch {
            close(nameless)
            throw error
        }
        return nameless
    }

    /// Replaces the file that is open as `descriptor` by one with `content`, and opens it. At every moment the name
    /// refers to either file as a whole.
    ///
    /// - Throws: when the name no longer refers to the open file, or the new one cannot be created.
    static func replace(
        _ path: String, openAs descriptor: Int32, with content: [UInt8]
    ) throws(TrackError) -> Int32 {
        let directory = directory(of: path)
        let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
        let interim = "\(directory)/.\(name).\(getpid())"
        let new: Int32
        do throws(TrackError) {
            new = try create(interim, content)
        } catch {
            throw TrackError(file: path, reason: error.reason)
        }
        do throws(TrackError) {
            var (mine, there) = (stat(), stat())
            guard fstat(descriptor, &mine) == 0, lstat(path, &there) == 0, mine.st_dev == there.st_dev,
                mine.st_ino == there.st_ino
            else { throw TrackError(file: path, reason: "was moved, removed or replaced while it was recorded") }
            guard rename(interim, path) == 0 else { throw TrackError(file: path, verb: "written") }
            try synchronize(directory, path)
        } catch {
            unlink(interim)
            close(new)
            throw error
        }
        return new
    }

    private static func createInPlace(_ path: String, _ content: [UInt8]) throws(TrackError) -> Int32 {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TrackError(file: path, verb: "made") }
        do throws(TrackError) {
            try fill(descriptor, content, path)
        } catch {
            close(descriptor)
            unlink(path)
            throw error
        }
        return descriptor
    }

    private static func fill(_ descriptor: Int32, _ content: [UInt8], _ path: String) throws(TrackError) {
        try write(content, to: descriptor, at: 0, path)
        guard fsync(descriptor) == 0 else { throw TrackError(file: path, verb: "written") }
    }

    /// Flushes the directory entry to disk.
    private static func synchronize(_ directory: String, _ path: String) throws(TrackError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TrackError(file: path, verb: "made") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw TrackError(file: path, verb: "made") }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Writes all of `bytes`, in one call if possible.
    static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int, _ path: String) throws(TrackError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, offset + written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TrackError(file: path, verb: "written") }
            written += count
        }
    }
}

extension NewFile {
    /// Reads the first `count` bytes of a file, which must be at least that long.
    static func read(_ count: Int, from descriptor: Int32, _ path: String) throws(TrackError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let length = bytes[filled...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, filled)
            }
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { throw TrackError(file: path, verb: "read", code: length < 0 ? errno : EIO) }
            filled += length
        }
        return bytes
    }
}
