import FoundationEssentials
import Glibc
import NIOCore
import POSIXSupport

/// The copy of a file that a page sends, in a hidden directory beside the regions.
///
/// The directory is locked. One without a lock was left behind by a killed process, and is removed by `locationctl map add`.
final class RegionUpload: Sendable {
    /// The name of the file.
    let file: String
    /// Its size, in bytes.
    let size: Int
    /// The directory of the copy.
    let directory: String
    private let lock: Int32
    private let descriptor: Int32

    /// The path of the copy.
    var path: String { "\(directory)/\(file)" }

    init(file: String, size: Int, in parent: String) throws {
        (self.file, self.size) = (file, size)
        directory = "\(parent)/.upload.\(getpid()).partial"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        // Left behind by a process of the same number.
        try? FileManager.default.removeItem(atPath: directory)
        guard mkdir(directory, 0o700) == 0 else { throw Errno() }
        lock = try FileLock.directory(directory, waits: false)
        descriptor = open("\(directory)/\(file)", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let error = Errno()
            close(lock)
            throw error
        }
    }

    deinit {
        close(descriptor)
        close(lock)
    }

    /// Appends bytes. Waits for the disk.
    func write(_ bytes: ByteBuffer) throws {
        try bytes.withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, rest.base.baseAddress?.advanced(by: rest.startIndex), rest.count)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw Errno() }
                rest = rest.dropFirst(written)
            }
        }
    }

    /// Removes the copy.
    func discard() {
        // One that cannot be removed is removed when the next region is added.
        try? FileManager.default.removeItem(atPath: directory)
    }
}
