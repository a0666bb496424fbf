import Glibc

/// The result of reading the status of a file.
package enum FileLook: Hashable, Sendable {
    case found(FileStatus)
    case absent
    /// An error, as `errno`.
    case failed(Int32)

    /// The status, if it could be read.
    package var status: FileStatus? {
        if case .found(let status) = self { status } else { nil }
    }

    /// True if the file is there; `nil` if that cannot be seen.
    var isThere: Bool? {
        switch self {
        case .found: true
        case .absent: false
        case .failed: nil
        }
    }

    /// True if a rule of this name is in force in polkit; `nil` if that cannot be seen.
    static func isPolkitRule(_ name: String) -> Bool? {
        if at("/usr/share/polkit-1/rules.d/\(name)").isThere == true { return true }
        // Only root and polkit may look into the directory.
        return at("/etc/polkit-1/rules.d/\(name)").isThere
    }

    /// Reads the status of the file at a path.
    package static func at(_ path: String, followsLink: Bool = true) -> FileLook {
        var status = stat()
        guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .absent : .failed(errno)
        }
        let kind: FileStatus.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFSOCK: .socket
            case S_IFLNK: .symbolicLink
            case S_IFCHR: .characterDevice
            default: .other
            }
        return .found(FileStatus(kind, owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o7777))
    }
}
