import CommandLineSupport
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
    /// The longest time for it. Nobody waits that long at a page.
    private static let longestTime = Duration.seconds(600)

    private let program: String
    private let database: String

    init(_ program: String, database: String) { (self.program, self.database) = (program, database) }

    /// Returns the recorded days between two times, in seconds since 1970.
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
        let result = try ProgramLaunch(command).run(includingErrors: true, limit: longest, time: longestTime)
        guard result.code == 0 else {
            throw Failure(
                description: result.output.isEmpty
                    ? "The program that reads the database has ended with status \(result.code)."
                    : result.output.split(separator: "\n").joined(separator: " ").shown(limit: 4096))
        }
        return ByteBuffer(string: result.output)
    }
}
