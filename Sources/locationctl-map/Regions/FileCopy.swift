import Glibc

/// Copies a file piece by piece.
struct FileCopy {
    let interruption: Interruption

    /// Copies `source` to `target`, which must not be there.
    ///
    /// - Parameter report: Told how much is done, 0 to 1.
    func copy(_ source: String, to target: String, report: (Double) -> Void) throws(RegionError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw RegionError("\(source) cannot be read: \(String(cString: strerror(errno))).") }
        defer { close(input) }
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw RegionError("\(target) cannot be made: \(String(cString: strerror(errno))).") }
        defer { close(output) }
        var status = stat()
        let size = fstat(input, &status) == 0 ? max(1, Int(status.st_size)) : 1
        var copied = 0
        var buffer = [UInt8](repeating: 0, count: 4 << 20)
        while true {
            interruption.waitIfPending()
            let count = copyPiece(from: input, to: output, &buffer)
            if count == 0 { return }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw RegionError("\(target) cannot be written: \(String(cString: strerror(errno))).")
            }
            copied += count
            report(Double(copied) / Double(size))
        }
    }

    /// How many bytes were copied; 0 at the end, below it with `errno`.
    private func copyPiece(from input: Int32, to output: Int32, _ buffer: inout [UInt8]) -> Int {
        let size = read(input, &buffer, buffer.count)
        guard size > 0 else { return size }
        var written = 0
        while written < size {
            let part = buffer.withUnsafeBytes { write(output, $0.baseAddress.map { $0 + written }, size - written) }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { return -1 }
            written += part
        }
        return written
    }
}
