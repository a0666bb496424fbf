import Foundation
import LinuxPlumbing
import LocationPolicy
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import LocationUsage

/// The behaviour without logind. `Tests/System` tests the behaviour with it in a booted system.
@Suite(.timeLimit(.minutes(10)), .disabled(if: FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket")))
struct LogindTests {
    @Test("without logind no process is in use")
    func noProcessIsInUseWithoutLogind() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (events, log) = (Collected<UsageEvent>(), LogRecorder(level: .trace))
        let monitor = UsageMonitor(eventLoop: loop, logger: log.logger) { $0.forEach(events.append) }
        let sleeper = try Sleeper()
        let process = try sleeper.watched()
        try await loop.executeInContext { monitor.watch(process) }
        await loop.advanceTime(by: .minutes(10))
        #expect(events.take() == [.changed(process, isInUse: false)])
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.hasPrefix("No program counts as in use, because logind cannot be asked") == true)
        try await loop.executeInContext { monitor.shutdown() }
    }

    /// Exit tests run in a process of their own, so that descriptors of other tests do not count.
    @Test("without watched processes there is no thread and no descriptor")
    func watchingNothingNeedsNoThread() async {
        await #expect(processExitsWith: .success) {
            let loop = NIOAsyncTestingEventLoop()
            let monitor = UsageMonitor(eventLoop: loop, logger: .silent) { _ in }
            let sleeper = try Sleeper()
            let process = try sleeper.watched()

            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            let (names, end) = AsyncStream.makeStream(of: String.self)
            DetachedThread.endObserver.withLock { $0 = { end.yield($0) } }
            var ends = names.makeAsyncIterator()
            func cycle() async throws {
                try await loop.executeInContext { monitor.watch(process) }
                await loop.advanceTime(by: .seconds(1))
                try await loop.executeInContext { monitor.unwatch(process) }
                _ = try await ends.first("the end of the thread") { $0 == "usage" }
            }
            // The first cycle opens descriptors that the runtime keeps.
            try await cycle()
            let before = try descriptors()
            for _ in 1...20 { try await cycle() }
            #expect(try descriptors() == before)
        }
    }
}
