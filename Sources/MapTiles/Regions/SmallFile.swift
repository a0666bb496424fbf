import FoundationEssentials
import Glibc

/// Reads files that are known to be short.
enum SmallFile {
    /// The bytes of the file at `path`; `nil` if it cannot be read, is not a regular file, or is longer than `limit`.
    static func read(_ path: String, limit: Int) -> Data? {
        // Opening a pipe would wait for its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
            return nil
        }
        var bytes: [UInt8] = []
        while bytes.count < Int(status.st_size) {
            let wanted = Int(status.st_size) - bytes.count
            var code: Int32 = 0
            let part = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                let read = Glibc.read(descriptor, buffer.baseAddress, wanted)
                code = read < 0 ? errno : 0
                count = max(0, read)
            }
            if code == EINTR { continue }
            guard code == 0, !part.isEmpty else { return nil }
            bytes += part
        }
        return Data(bytes)
    }
}
