import FleetModel
import Glibc
import LinuxPlumbing
import POSIXSupport

/// The program that reads a broker for the map: `locationd-share fleet feed`.
///
/// It has the connection to the network, and libmosquitto and OpenSSL with it; the map has the other end of a pipe. Its own messages
/// are printed as the map's.
final class FleetFeedProcess: Sendable {
    /// The end of the program, which has printed the reason.
    struct Ended: Error, CustomStringConvertible {
        let status: Int32

        var description: String {
            "The vehicles are no longer read: the program for it has ended with status \(status)."
        }
    }

    private let process: pid_t
    private let descriptor: CInt

    /// Starts it.
    init(_ program: String, _ options: [String]) throws(Errno) {
        let (reading, writing) = try DescriptorIO.pipe()
        defer { close(writing) }
        descriptor = reading
        do throws(Errno) {
            process = try ProgramLaunch(
                [program, "fleet", "feed"] + options,
                descriptors: [STDIN_FILENO: STDIN_FILENO, STDOUT_FILENO: writing, STDERR_FILENO: STDERR_FILENO]
            ).start()
        } catch {
            close(reading)
            throw error
        }
    }

    /// Passes its input on until the task is cancelled, which ends it.
    func run(_ take: @escaping @Sendable ([FleetFeed]) -> Void) async throws {
        let status = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A thread of its own, because it waits for the pipe.
                do throws(DetachedThread.Failure) {
                    try DetachedThread.start(name: "fleet") {
                        continuation.resume(with: Result { try self.read(take) })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            kill(process, SIGTERM)
        }
        // Ctrl-C in a terminal ends it before the map ends itself.
        let isInterrupted = [SIGINT, SIGTERM, SIGHUP].contains(status & 0x7f)
        while isInterrupted, !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
        guard Task.isCancelled else { throw Ended(status: status >> 8 & 0xff) }
    }

    /// Reads to the end; returns the status of the program.
    private func read(_ take: ([FleetFeed]) -> Void) throws -> Int32 {
        defer { close(descriptor) }
        var decoder = FleetFeed.Decoder()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            take(try decoder.take(buffer[..<count]))
        }
        return try ProgramLaunch.wait(for: process)
    }
}
