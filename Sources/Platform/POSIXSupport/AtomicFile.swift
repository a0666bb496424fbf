package import Glibc

/// Creates and replaces files so that under its name a file is there as a whole, on disk, or not at all.
package enum AtomicFile {
    /// Creates a file and opens it. On file systems without unnamed files (such as FAT) it is visible while still empty
    /// for a moment.
    ///
    /// - Throws: when a file of that name exists, or the file cannot be created.
    package static func create(
        _ path: String, _ content: some Collection<UInt8>, mode: mode_t = 0o600
    ) throws(Errno) -> Int32 {
        let directory = directory(of: path)
        // O_TMPFILE, a macro that Swift does not import.
        let nameless = open(directory, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        if nameless < 0, [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) {
            return try createInPlace(path, content, mode)
        }
        guard nameless >= 0 else { throw Errno() }
        do throws(Errno) {
            try fill(nameless, content, mode)
            let number = "/proc/self/fd/\(nameless)"
            guard linkat(AT_FDCWD, number, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else { throw Errno() }
            try DescriptorIO.synchronize(directory)
        } catch {
            close(nameless)
            throw error
        }
        return nameless
    }

    /// Replaces a file, or creates it, and opens the new one. At every moment the name refers to either file as a whole.
    ///
    /// - Parameter check: examines the new file, at a path of its own in the same directory; its error is thrown, and
    ///   the file is not replaced.
    package static func replace(
        _ path: String, with content: some Collection<UInt8>, mode: mode_t = 0o600,
        check: (_ draft: String) throws -> Void = { _ in }
    ) throws -> Int32 {
        let draft = draft(of: path)
        // Left behind by a killed process that had the same id.
        unlink(draft)
        let descriptor = try createInPlace(draft, content, mode)
        do {
            try check(draft)
            try install(draft, as: path)
        } catch {
            close(descriptor)
            unlink(draft)
            throw error
        }
        return descriptor
    }

    /// Replaces a file, or creates it.
    package static func write(
        _ content: some Collection<UInt8>, to path: String, mode: mode_t = 0o644,
        check: (_ draft: String) throws -> Void = { _ in }
    ) throws {
        close(try replace(path, with: content, mode: mode, check: check))
    }

    /// Gives a file that is complete on disk the name of another one in its directory, which it replaces.
    package static func install(_ draft: String, as path: String) throws(Errno) {
        guard rename(draft, path) == 0 else { throw Errno() }
        try DescriptorIO.synchronize(directory(of: path))
    }

    /// A hidden name in the directory of `path`, which no other process uses.
    private static func draft(of path: String) -> String {
        let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
        return "\(directory(of: path))/.\(name).\(getpid())"
    }

    private static func createInPlace(
        _ path: String, _ content: some Collection<UInt8>, _ mode: mode_t
    ) throws(Errno) -> Int32 {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Errno() }
        do throws(Errno) {
            try fill(descriptor, content, mode)
        } catch {
            close(descriptor)
            unlink(path)
            throw error
        }
        return descriptor
    }

    private static func fill(_ descriptor: Int32, _ content: some Collection<UInt8>, _ mode: mode_t) throws(Errno) {
        try DescriptorIO.write(content, to: descriptor)
        // Whatever the umask is.
        guard mode == 0o600 || fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw Errno() }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
