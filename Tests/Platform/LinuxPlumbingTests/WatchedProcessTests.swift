import Glibc
import TestSupport
import Testing

@testable import LinuxPlumbing

@Suite(.timeLimit(.minutes(10))) struct WatchedProcessTests {
    /// Ends with its object.
    private func sleep() async throws -> ChildProcess { try await ChildProcess(["sleep", "1000"]) }

    private func watched(_ process: ChildProcess) throws -> WatchedProcess {
        try #require(WatchedProcess(processID: process.processID))
    }

    @Test("two references to the same process are equal")
    func referencesToOneProcessAreEqual() async throws {
        let sleeper = try await sleep()
        let (one, other) = (try watched(sleeper), try watched(sleeper))
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
    }

    /// Start times count in hundredths of a second: with few ids, the next process with an id can have the same one.
    @Test(
        "two processes with the same id and start time are not the same one",
        .enabled(if: kernelNumbersProcesses, "the kernel is older than 6.9"))
    func reuse() async throws {
        let (one, other) = (try await sleep(), try await sleep())
        let first = try watched(one)
        // The second process as it would be with the id of the first.
        let second = WatchedProcess(
            processID: first.processID, owning: fcntl(try watched(other).descriptor, F_DUPFD_CLOEXEC, 0))
        #expect(first != second)
        #expect(Set([first, second]).count == 2)
    }

    private static let kernelNumbersProcesses: Bool = {
        guard let one = WatchedProcess(processID: getpid()), let other = WatchedProcess(processID: getppid()) else {
            return false
        }
        var (first, second) = (stat(), stat())
        return fstat(one.descriptor, &first) == 0 && fstat(other.descriptor, &second) == 0
            && first.st_ino != second.st_ino
    }()
}
