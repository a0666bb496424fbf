import LinuxPlumbing
import LocationPolicy
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import LocationUsage

/// Many processes of one user who locks the screen repeatedly.
@Suite("Many processes of one user", .timeLimit(.minutes(10))) struct UsageCrowdTests {
    private static let count = 300
    /// The number of reports in one turn of the event loop.
    private static let slice = 64

    let harness = Harness()
    let sleepers: [Sleeper]
    let processes: [WatchedProcess]

    init() throws {
        sleepers = try (0..<Self.count).map { _ in try Sleeper() }
        processes = try sleepers.map { try $0.watched() }
    }

    private func watchAll() async throws {
        let processes = processes
        try await harness.run { monitor in processes.forEach { monitor.watch($0) } }
        #expect(await Set(harness.advance(.seconds(1))) == Set(processes.map { .changed($0, isInUse: true) }))
        _ = harness.batches.take()
    }

    private func expectSlices() {
        #expect(harness.batches.take().allSatisfy { $0 <= 2 * Self.slice })
    }

    @Test("a lock takes effect for all at once, before the reports, and reads no file again")
    func lock() async throws {
        try await watchAll()
        let (processes, login) = (processes, harness.login)
        let before = login.reads
        #expect(before == Self.count)
        let inUse = try await harness.run { monitor in
            login.move(to: .session(.locked))
            return processes.count { monitor.isInUse($0) }
        }
        #expect(inUse == 0)
        #expect(await harness.advance().count <= Self.slice, "the loop is left to others")
        #expect(await harness.advance(.seconds(1)).count >= Self.count - Self.slice)
        expectSlices()
        #expect(try await harness.run { monitor in processes.count { monitor.isInUse($0) } } == 0)
        #expect(login.reads == before)
        try await harness.run { $0.shutdown() }
    }

    @Test("a lock that is undone before all reports is still reported, in order")
    func blink() async throws {
        try await watchAll()
        let login = harness.login
        try await harness.run { _ in
            login.move(to: .session(.locked))
            login.move(to: .session(.attended))
        }
        let events = await harness.advance(.seconds(1))
        #expect(events.count == 2 * Self.count)
        var isInUse: [WatchedProcess: Bool] = [:]
        for case .changed(let process, let now) in events {
            #expect(isInUse[process] == (now ? false : nil))
            isInUse[process] = now
        }
        #expect(isInUse.values.allSatisfy { $0 })
        expectSlices()
        try await harness.run { $0.shutdown() }
    }

    @Test("the grace of each process ends on time")
    func grace() async throws {
        try await watchAll()
        try await harness.move(to: .session(.inactive))
        #expect(await harness.advance(.milliseconds(4999)) == [])
        let processes = processes
        await harness.loop.advanceTime(by: .milliseconds(1))
        #expect(try await harness.run { monitor in processes.count { monitor.isInUse($0) } } == 0)
        #expect(await harness.advance(.seconds(1)).count == Self.count)
        expectSlices()
        try await harness.run { $0.shutdown() }
    }

    @Test("no state remains when all have ended")
    func exits() async throws {
        // On the real clock, since the polling thread starts slices of work whenever it reports.
        let (loop, login, processes) = (ObservedLoops.next(), FakeLogin(), processes)
        let left = Mutex(Set(processes))
        let batches = Collected<Int>()
        let monitor = UsageMonitor(eventLoop: loop, logger: .silent, login: login, now: { .now }) { events in
            batches.append(events.count)
            for case .exited(let process) in events { _ = left.withLock { $0.remove(process) } }
        }
        try await loop.submit { processes.forEach { monitor.watch($0) } }.get()
        try await ObservedLoops.wait(
            for: "the end of \(Self.count) processes", on: loop, after: { sleepers.forEach { $0.end() } },
            until: { left.withLock(\.isEmpty) && !login.isStarted })
        #expect(batches.take().allSatisfy { $0 <= 2 * Self.slice })
    }

    @Test("a round visits each remaining element once while others are inserted and removed")
    func rounds() {
        final class Element {}
        var list = SlotList<Element>()
        let elements = (0..<10).map { _ in Element() }
        let slots = elements.map { list.insert($0) }
        list.startRound()
        var seen = list.next(4)
        list.remove(at: slots[2])
        list.remove(at: slots[7])
        let late = Element()
        #expect(list.insert(late) == slots[7])
        while list.isInRound { seen += list.next(4) }
        var visited = elements
        visited[7] = late
        #expect(seen.map(ObjectIdentifier.init) == visited.map(ObjectIdentifier.init))
        list.startRound()
        list.startRound()
        var count = 0
        while list.isInRound { count += list.next(3).count }
        #expect(count == 18, "who is due again while a round is under way gets another")
    }
}
