import CommandLineSupport
import Glibc
import LinuxPlumbing
import NIOCore
import POSIXSupport

/// The program that reads a fleet's database for the map: `locationd-fleet-recorder day`.
///
/// It has the connection to the database, and libpq and OpenSSL with it; the map has the other end of a pipe.
struct RecordedDays: Sendable {
    /// What the program says about its failure.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The longest answer, in bytes.
    private static let longest = 16 << 20

    private let program: String
    private let database: String

    init(_ program: String, database: String) { (self.program, self.database) = (program, database) }

    /// Returns what was recorded from one time to another, in seconds since 1970.
    func json(from start: Int, to end: Int) async throws -> ByteBuffer {
        let command = [program, "day", "--from", "\(start)", "--to", "\(end)", "--database=\(database)"]
        return try await withCheckedThrowingContinuation { continuation in
            // A thread of its own, because it waits for the pipes.
            do throws(DetachedThread.Failure) {
                try DetachedThread.start(name: "day") { continuation.resume(with: Result { try Self.run(command) }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private static func run(_ command: [String]) throws -> ByteBuffer {
        let (output, writing) = try DescriptorIO.pipe()
        defer { close(output) }
        let (errors, complaining) = try DescriptorIO.pipe()
        defer { close(errors) }
        let process: pid_t
        do {
            defer {
                close(writing)
                close(complaining)
            }
            process = try ProgramLaunch(
                command, descriptors: [STDOUT_FILENO: writing, STDERR_FILENO: complaining]
            ).start()
        }
        // It complains in a sentence, which a pipe holds.
        let answer = read(output, upTo: longest)
        if answer == nil { kill(process, SIGKILL) }
        let complaint = read(errors, upTo: 4096)
        let status = try ProgramLaunch.wait(for: process)
        guard status == 0, let answer else {
            let words = complaint.map { String(buffer: $0) } ?? ""
            throw Failure(
                description: words.isEmpty
                    ? "The program that reads the database has ended with status \(status >> 8 & 0xff)."
                    : words.split(separator: "\n").joined(separator: " ").shown(limit: 4096))
        }
        return answer
    }

    /// Reads to the end; returns `nil` if that is longer.
    private static func read(_ descriptor: CInt, upTo limit: Int) -> ByteBuffer? {
        var bytes = ByteBuffer()
        while true {
            let count = bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 16) { buffer in
                while true {
                    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                    if count >= 0 || errno != EINTR { return max(0, count) }
                }
            }
            if count == 0 { return bytes }
            guard bytes.readableBytes <= limit else { return nil }
        }
    }
}
