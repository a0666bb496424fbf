import Glibc

/// Reads and writes whole pieces of regular files.
package enum DescriptorIO {
    /// Reads from `offset` to the end of the file, but at most `count` bytes.
    package static func read(
        upTo count: Int, from descriptor: Int32, at offset: Int = 0
    ) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        // Files in /proc have a size of 0.
        var status = stat()
        let size = fstat(descriptor, &status) == 0 ? status.st_size - offset : 0
        while bytes.count < count {
            let wanted = min(count, max(size, bytes.count + 1 << 14)) - bytes.count
            var code: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, length in
                let result = pread(descriptor, buffer.baseAddress, wanted, offset + bytes.count)
                if result < 0 { code = errno }
                length = max(0, result)
            }
            if code == EINTR { continue }
            guard code == 0 else { throw Errno(code) }
            if piece.isEmpty { break }
            if bytes.isEmpty { bytes = piece } else { bytes += piece }
        }
        return bytes
    }

    /// Writes all of `bytes`, in one call if possible.
    package static func write(
        _ bytes: some Collection<UInt8>, to descriptor: Int32, at offset: Int = 0
    ) throws(Errno) {
        let result = bytes.withContiguousStorageIfAvailable { write(UnsafeRawBufferPointer($0), descriptor, offset) }
        let code = result ?? Array(bytes).withUnsafeBytes { write($0, descriptor, offset) }
        guard code == 0 else { throw Errno(code) }
    }

    /// Returns 0 or the error.
    private static func write(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32, _ offset: Int) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, offset + written)
            if count < 0, errno == EINTR { continue }
            // A regular file that takes nothing is on a full file system.
            guard count > 0 else { return count < 0 ? errno : ENOSPC }
            written += count
        }
        return 0
    }

    /// Flushes a file or directory to disk.
    package static func synchronize(_ path: String) throws(Errno) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errno() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Errno() }
    }

    /// A pipe that programs started later do not inherit.
    package static func pipe() throws(Errno) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw Errno() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
