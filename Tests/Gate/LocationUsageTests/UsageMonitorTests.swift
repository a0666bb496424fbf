import LinuxPlumbing
import LocationPolicy
import NIOCore
import TestSupport
import Testing

@testable import LocationUsage

@Suite(.timeLimit(.minutes(10))) struct UsageMonitorTests {
    let harness = Harness()

    @Test("the first report contains the current use")
    func firstReportHasCurrentUse() async throws {
        let sleeper = try Sleeper()
        let process = try sleeper.watched()
        try await harness.run { $0.watch(process) }
        #expect(await harness.advance() == [.changed(process, isInUse: true)])
        #expect(await harness.advance(.hours(1)) == [])
        try await harness.run { $0.shutdown() }
    }

    @Test("the first report waits for logind")
    func firstReportWaitsForLogind() async throws {
        let sleeper = try Sleeper()
        let process = try sleeper.watched()
        try await harness.move(to: nil)
        try await harness.run { $0.watch(process) }
        #expect(await harness.advance(.seconds(1)) == [])
        #expect(try await harness.run { $0.isInUse(process) } == false)
        try await harness.move(to: .session(.inactive))
        #expect(await harness.advance() == [.changed(process, isInUse: false)])
        try await harness.run { $0.shutdown() }
    }

    @Test("use ends after the grace")
    func graceAndItsEnd() async throws {
        let sleeper = try Sleeper()
        let process = try sleeper.watched()
        try await harness.run { $0.watch(process) }
        _ = await harness.advance()
        try await harness.move(to: .session(.inactive))
        #expect(await harness.advance(.milliseconds(4999)) == [])
        #expect(try await harness.run { $0.isInUse(process) })
        #expect(await harness.advance(.milliseconds(1)) == [.changed(process, isInUse: false)])
        #expect(try await harness.run { $0.isInUse(process) } == false)
        try await harness.move(to: .session(.attended))
        #expect(await harness.advance() == [.changed(process, isInUse: true)])
        try await harness.move(to: .session(.locked))
        #expect(await harness.advance() == [.changed(process, isInUse: false)])
        try await harness.run { $0.shutdown() }
    }

    @Test("the grace ends while logind is being asked")
    func graceEndsDuringLogindQuery() async throws {
        let sleeper = try Sleeper()
        let process = try sleeper.watched()
        try await harness.run { $0.watch(process) }
        _ = await harness.advance()
        try await harness.move(to: .session(.inactive))
        #expect(await harness.advance(.seconds(1)) == [])
        try await harness.move(to: nil)
        #expect(await harness.advance(.seconds(4)) == [.changed(process, isInUse: false)])
        #expect(await harness.advance(.hours(1)) == [])
        try await harness.run { $0.shutdown() }
    }

    @Test("a query sees changes that were not reported yet")
    func querySeesMoreThanReported() async throws {
        let sleeper = try Sleeper()
        let process = try sleeper.watched()
        try await harness.run { $0.watch(process) }
        _ = await harness.advance()
        let login = harness.login
        let answer = try await harness.run { monitor in
            login.move(to: .session(.locked))
            return monitor.isInUse(process)
        }
        #expect(!answer)
        #expect(await harness.advance() == [.changed(process, isInUse: false)])
        try await harness.run { $0.shutdown() }
    }

    @Test("a background activity counts as use while it is shown")
    func backgroundActivityCountsWhileShown() async throws {
        let sleeper = try Sleeper()
        let process = try sleeper.watched()
        try await harness.run { $0.watch(process) }
        _ = await harness.advance()
        try await harness.run { $0.setBackgroundActivity(process, isShown: true) }
        try await harness.move(to: .session(.locked))
        #expect(await harness.advance(.minutes(1)) == [])
        try await harness.run { $0.setBackgroundActivity(process, isShown: false) }
        #expect(await harness.advance() == [.changed(process, isInUse: false)])
        try await harness.run { $0.shutdown() }
    }

    @Test("calls of watch are counted")
    func watchingIsCounted() async throws {
        let sleeper = try Sleeper()
        // Two references to the same process.
        let (process, again) = (try sleeper.watched(), try sleeper.watched())
        #expect(process == again)
        try await harness.run {
            $0.watch(process)
            $0.watch(again)
            $0.unwatch(process)
        }
        #expect(await harness.advance() == [.changed(process, isInUse: true)])
        #expect(harness.login.isStarted)
        try await harness.run {
            $0.unwatch(again)
            $0.unwatch(again)
        }
        #expect(!harness.login.isStarted)
        #expect(try await harness.run { $0.isInUse(process) } == false)
        try await harness.move(to: .session(.locked))
        #expect(await harness.advance(.hours(1)) == [])
    }

    @Test("watching keeps a reference to the process")
    func watchingHoldsTheProcess() async throws {
        let sleeper = try Sleeper()
        for _ in 1...2 {
            // Only the monitor refers to it; unwatched through another reference.
            let (process, again) = (try sleeper.watched(), try sleeper.watched())
            try await harness.run { $0.watch(process) }
            try await harness.run { $0.unwatch(again) }
        }
        #expect(!harness.login.isStarted)
    }

    @Test("the end of a process is reported and ends its watch")
    func exitIsReportedAndEndsWatching() async throws {
        let sleeper = try Sleeper()
        let process = try sleeper.watched()
        try await harness.run { $0.watch(process) }
        var events = harness.events.makeAsyncIterator()
        #expect(await harness.advance() == [.changed(process, isInUse: true)])
        #expect(await events.next() == .changed(process, isInUse: true))
        sleeper.end()
        #expect(await events.next() == .exited(process))
        #expect(process.hasExited)
        #expect(try await harness.run { $0.isInUse(process) } == false)
        #expect(!harness.login.isStarted)
        // Watching a dead process reports its end.
        try await harness.run { $0.watch(process) }
        _ = try await events.first("the end of the process") { $0 == .exited(process) }
        #expect(!harness.login.isStarted)
    }
}
