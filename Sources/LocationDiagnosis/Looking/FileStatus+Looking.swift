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

/// Reads small files and the names in directories.
package enum SmallFile {
    /// The content of a file of at most 1 MiB. Returns `nil` and sets `errno` if it cannot be read.
    package static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while content.count <= 1 << 20 {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return content }
            content += buffer.prefix(count)
        }
        errno = EFBIG
        return nil
    }

    /// The content of a file as text.
    package static func text(_ path: String) -> String? {
        read(path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in a directory, sorted; none if it cannot be read.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                        String(cString: $0)
                    }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }
}
