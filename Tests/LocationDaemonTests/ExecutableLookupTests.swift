import Dispatch
import LocationPolicy
import NIOCore
import NIOEmbedded
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import LocationDaemon
@testable import PeerIdentification
@testable import VarlinkFrontEnd

/// Executables in file systems that do not answer.
@Suite("Looking for executables", .timeLimit(.minutes(1)))
struct ExecutableLookupTests {
    @Test("a user whose file system hangs is told so, and keeps nobody else waiting")
    func hangs() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let answers = DispatchSemaphore(value: 0)
        let lookups = ExecutableLookups(eventLoop: loop) { _, path in
            if path.hasPrefix("/hanging") { answers.wait() }
            return .verified(path)
        }
        func lookUp(_ path: String, of user: UInt32) async throws -> EventLoopFuture<ExecutableLookups.Executable> {
            try await loop.executeInContext { lookups.executable(of: 1, of: user, at: path) }
        }
        // Each user has one thread, and each path.
        let stuck = try await lookUp("/hanging/program", of: 1)
        let behind = try await lookUp("/usr/bin/program", of: 1)
        let same = try await lookUp("/hanging/program", of: 2)
        let other = try await lookUp("/usr/bin/program", of: 3)
        #expect(try await other.get() == .verified("/usr/bin/program"))
        await loop.advanceTime(by: .seconds(2))
        for future in [stuck, behind, same] {
            await #expect(throws: ExecutableLookups.Timeout.self) { try await future.get() }
        }
        // The file system answers again.
        answers.signal()
        let again = try await lookUp("/usr/bin/program", of: 1)
        #expect(try await again.get() == .verified("/usr/bin/program"))
    }
}
