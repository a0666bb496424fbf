import Glibc

/// Reads files that are known to be short.
package enum SmallFile {
    /// The content of a regular file, which must not be longer than `limit` bytes. Never waits for a device or a pipe.
    package static func read(_ path: String, limit: Int = 1 << 20) throws(Errno) -> [UInt8] {
        // Opening a pipe would wait for its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Errno() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Errno() }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return try content(of: descriptor, limit: limit)
        case S_IFDIR: throw Errno(EISDIR)
        default: throw Errno(EINVAL)
        }
    }

    /// The content of an open file, which must not be longer than `limit` bytes.
    package static func content(of descriptor: Int32, limit: Int) throws(Errno) -> [UInt8] {
        let content = try DescriptorIO.read(upTo: limit + 1, from: descriptor)
        guard content.count <= limit else { throw Errno(EFBIG) }
        return content
    }

    /// The content of a file as text; `nil` if it cannot be read.
    package static func text(_ path: String) -> String? {
        (try? read(path)).map { String(decoding: $0, as: UTF8.self) }
    }
}
