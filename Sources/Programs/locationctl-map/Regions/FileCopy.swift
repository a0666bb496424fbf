import Glibc
import POSIXSupport

/// A copy of a file in pieces.
struct FileCopy {
    let interruption: Interruption
    private static let pieceSize = 4 << 20

    /// Copies `source` to `target`, which must not exist.
    ///
    /// - Parameter report: Receives the completed part, 0 to 1.
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
        while true {
            interruption.waitIfPending()
            do throws(Errno) {
                let piece = try DescriptorIO.read(upTo: Self.pieceSize, from: input, at: copied)
                if piece.isEmpty { return }
                try DescriptorIO.write(piece, to: output, at: copied)
                copied += piece.count
            } catch {
                throw RegionError("\(target) cannot be written: \(error).")
            }
            report(Double(copied) / Double(size))
        }
    }
}
