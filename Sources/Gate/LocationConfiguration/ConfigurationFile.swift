import Glibc
import POSIXSupport

/// Reads configuration files, which must belong to root or the daemon's user because they may grant access to
/// locations.
enum ConfigurationFile {
    /// The largest file in bytes.
    static let maximumSize = 1 << 20

    /// The content of the file; `nil` if it does not exist. `/dev/null`, the target of a mask, is empty.
    ///
    /// Never blocks: anything but a regular file is refused.
    static func read(_ path: String) throws(InvalidConfiguration) -> [UInt8]? {
        do throws(ConfigurationProblem) {
            return try content(of: path)
        } catch {
            throw InvalidConfiguration([error])
        }
    }

    /// The content like that of `read`, of a file whose directory must be writable by root or the daemon's user only, too.
    static func protectedContent(of path: String) throws(ConfigurationProblem) -> [UInt8]? {
        var paths: Set = [path]
        // The file that a link names.
        if let resolved = realpath(path, nil) {
            paths.insert(String(cString: resolved))
            free(resolved)
        }
        for directory in Set(paths.map(directory)) {
            var status = stat()
            if stat(directory, &status) == 0 { try checkWriters(of: status, directory) }
        }
        return try content(of: path)
    }

    /// The directory of a file.
    static func directory(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    private static func content(of path: String) throws(ConfigurationProblem) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            // A dangling link is not an absent file, because it was made on purpose.
            var status = stat()
            if errno == ENOENT, lstat(path, &status) != 0 { return nil }
            throw failure(path, "read")
        }
        defer { close(descriptor) }
        let status = try status(of: descriptor, path)
        if isNullDevice(status) { return [] }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationProblem(file: path, message: "This is not a regular file.")
        }
        try checkWriters(of: status, path)
        return try content(of: descriptor, path)
    }

    /// True if this user may not read the file.
    static func isUnreadable(_ path: String) -> Bool { access(path, R_OK) != 0 && errno == EACCES }

    /// False only if it is certain that nothing exists at a path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }

    /// The names of the property lists in a directory, sorted; none if it does not exist. Hidden files do not count.
    static func names(in directory: String) throws(ConfigurationProblem) -> [String] {
        guard let stream = opendir(directory) else {
            if errno == ENOENT { return [] }
            throw failure(directory, "read")
        }
        defer { closedir(stream) }
        try checkWriters(of: try status(of: dirfd(stream), directory), directory)
        do throws(Errno) {
            return try DirectoryListing.names(in: stream).filter { $0.hasSuffix(".plist") && !$0.hasPrefix(".") }
        } catch {
            throw failure(directory, "read", error)
        }
    }

    private static func failure(_ path: String, _ verb: String, _ error: Errno = Errno()) -> ConfigurationProblem {
        var problem = ConfigurationProblem(file: path, message: "This cannot be \(verb): \(error).")
        problem.isUnreadable = error.code == EACCES
        return problem
    }

    private static func status(of descriptor: CInt, _ path: String) throws(ConfigurationProblem) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, "examined") }
        return status
    }

    private static func isNullDevice(_ status: stat) -> Bool {
        // Major 1, minor 3 in the kernel's list of devices; makedev(3) is a macro that Swift does not import.
        status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == 0x103
    }

    private static func checkWriters(of status: stat, _ path: String) throws(ConfigurationProblem) {
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw ConfigurationProblem(
                file: path,
                message: "This belongs to user \(status.st_uid) and not to root; run: chown root \(path)")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw ConfigurationProblem(
                file: path, message: "This can be written by others than its owner; run: chmod go-w \(path)")
        }
    }

    private static func content(of descriptor: CInt, _ path: String) throws(ConfigurationProblem) -> [UInt8] {
        do throws(Errno) {
            return try SmallFile.content(of: descriptor, limit: maximumSize)
        } catch {
            guard error.code == EFBIG else { throw failure(path, "read", error) }
            throw ConfigurationProblem(file: path, message: "This is larger than \(maximumSize) bytes.")
        }
    }
}
