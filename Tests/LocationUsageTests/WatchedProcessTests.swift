import Glibc
import Testing

@testable import LocationUsage

@Suite struct WatchedProcessTests {
    @Test("two references to the same process are equal")
    func twoHoldsOnAProcessAreEqual() throws {
        let sleeper = try Sleeper()
        let (one, other) = (try sleeper.watched(), try sleeper.watched())
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
    }

    /// Start times count in hundredths of a second: with few ids, the next process with an id can have the same one.
    @Test(
        "two processes with the same id and start time are not the same one",
        .enabled(if: kernelNumbersProcesses, "the kernel is older than 6.9"))
    func reuse() throws {
        let (one, other) = (try Sleeper(), try Sleeper())
        let first = try one.watched()
        // The second process as it would be with the id of the first.
        let second = WatchedProcess(
            processID: first.processID, owning: fcntl(try other.watched().descriptor, F_DUPFD_CLOEXEC, 0))
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
