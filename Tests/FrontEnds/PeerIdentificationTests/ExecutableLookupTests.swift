import Dispatch
import LocationPolicy
import NIOCore
import NIOEmbedded
import Testing

@testable import PeerIdentification

/// Executables in file systems that do not answer.
@Suite("Finding executables", .timeLimit(.minutes(10)))
struct ExecutableLookupTests {
    @Test("a look-up in a hanging file system fails with the reason, and does not delay other users")
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

    @Test("two users' look-ups of one path run one after the other")
    func onePath() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (answers, begun) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: String.self))
        let lookups = ExecutableLookups(eventLoop: loop) { processID, path in
            begun.continuation.yield("\(processID) \(path)")
            if path == "/slow" { answers.wait() }
            return .verified(path)
        }
        func lookUp(_ path: String, of user: UInt32) async throws -> EventLoopFuture<ExecutableLookups.Executable> {
            try await loop.executeInContext { lookups.executable(of: Int32(user), of: user, at: path) }
        }
        var order = begun.stream.makeAsyncIterator()
        let first = try await lookUp("/slow", of: 1)
        #expect(await order.next() == "1 /slow")
        let second = try await lookUp("/slow", of: 2)
        #expect(try await lookUp("/other", of: 3).get() == .verified("/other"))
        #expect(await order.next() == "3 /other")
        answers.signal()
        #expect(try await first.get() == .verified("/slow"))
        #expect(await order.next() == "2 /slow")
        answers.signal()
        #expect(try await second.get() == .verified("/slow"))
    }
}
