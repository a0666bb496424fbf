import LinuxPlumbing
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import LocationUsage

@Suite(.timeLimit(.minutes(10)), .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct SurroundingsMonitorTests {
    private typealias Session = ScriptedLogind.Session

    /// What a monitor knows.
    private struct Values: Hashable, Sendable {
        var isOnBattery: Bool?
        var isLocked: Bool?
        var isAnybodyPresent: Bool?
        var isLoggedIn: Bool?
    }

    /// A monitor on a loop and a bus of its own.
    private final class Monitor: Sendable {
        let bus: BusUnderTest
        let loop = ObservedLoops.next()
        private let monitor: NIOLoopBound<SurroundingsMonitor>

        /// - Parameter files: what the kernel's files say about power.
        init(files: @escaping @Sendable () -> Bool? = { nil }) async throws {
            let (bus, loop) = (try await BusUnderTest.start(), loop)
            self.bus = bus
            monitor = try await loop.submit {
                let systemBus = SystemBus(at: .address(bus.address), eventLoop: loop)
                let readings = SurroundingsMonitor.Readings(
                    isOnBattery: files, powerInterval: .milliseconds(1), sessionInterval: .milliseconds(1))
                return NIOLoopBound(SurroundingsMonitor(bus: systemBus, readings: readings), eventLoop: loop)
            }.get()
        }

        func watch(_ kinds: Set<SurroundingsKind>) async throws {
            try await loop.submit { [monitor] in monitor.value.watch(kinds) }.get()
        }

        func expect(_ what: String, _ isMet: @escaping @Sendable (Values) -> Bool) async throws {
            try await ObservedLoops.ensure(what, on: loop) { [monitor] in isMet(Self.values(monitor.value)) }
        }

        private static func values(_ monitor: SurroundingsMonitor) -> Values {
            Values(
                isOnBattery: monitor.isOnBattery, isLocked: monitor.isSessionLocked(of: 1000),
                isAnybodyPresent: monitor.isAnybodyPresent(), isLoggedIn: monitor.isLoggedIn(1000))
        }

        func values() async throws -> Values { try await loop.submit { [monitor] in Self.values(monitor.value) }.get() }

        /// Counts the reports of changes from now on.
        func countChanges() async throws -> Collected<Void> {
            let changes = Collected<Void>()
            try await loop.submit { [monitor] in monitor.value.onChange = { changes.append(()) } }.get()
            return changes
        }

        func end() async throws {
            try await watch([])
            try await bus.stop()
        }
    }

    @Test("a user’s lock is that of all sessions on seats: the sessions of SSH and of others do not count")
    func lockIsOfAllSessionsOnSeats() async throws {
        let monitor = try await Monitor()
        let logind = try await ScriptedLogind(
            on: monitor.bus.address,
            [
                "1": Session(isLocked: true), "2": Session(seat: "", type: "tty"), "3": Session(user: 1001),
                "4": Session(kind: "greeter"),
            ])
        try await monitor.watch([.sessionLock])
        try await monitor.expect("the lock") { $0.isLocked == true }
        #expect(try await monitor.values().isAnybodyPresent == nil)
        try await logind.set("5", Session(isActive: false))
        try await monitor.expect("a second session, which is not locked") { $0.isLocked == false }
        try await logind.set("5", Session(isActive: false, isLocked: true))
        try await monitor.expect("the second lock") { $0.isLocked == true }
        try await logind.set("1", Session())
        try await monitor.expect("the first session unlocked") { $0.isLocked == false }
        try await logind.set("1", nil)
        try await monitor.expect("the end of the first session") { $0.isLocked == true }
        try await logind.close()
        try await monitor.end()
    }

    @Test("a user is logged in until the last session of a person ends, or is left to its processes")
    func logins() async throws {
        let monitor = try await Monitor()
        let logind = try await ScriptedLogind(
            on: monitor.bus.address,
            [
                "1": Session(), "2": Session(seat: "", type: "tty"), "3": Session(user: 1001),
                "4": Session(kind: "manager"),
            ])
        let values = try await monitor.values()
        #expect(values.isLoggedIn == nil)
        try await monitor.watch([.login])
        try await monitor.expect("a login") { $0.isLoggedIn == true }
        try await logind.set("1", nil)
        try await logind.set("2", Session(seat: "", type: "tty", isActive: false, state: "closing"))
        try await monitor.expect("the end of the last one") { $0.isLoggedIn == false }
        try await logind.set("5", Session(seat: "", type: "tty"))
        try await monitor.expect("another login") { $0.isLoggedIn == true }
        // Without logind nobody knows.
        try await logind.close()
        try await monitor.expect("doubt") { $0.isLoggedIn == nil }
        try await monitor.end()
    }

    @Test("someone is present while the session in the foreground of a seat is neither idle nor locked")
    func presenceIsOfTheForegroundSession() async throws {
        let monitor = try await Monitor()
        let logind = try await ScriptedLogind(on: monitor.bus.address, ["1": Session(), "2": Session(isActive: false)])
        try await monitor.watch([.presence])
        try await monitor.expect("presence") { $0.isAnybodyPresent == true }
        let absent = [
            Session(isIdle: true), Session(isLocked: true), Session(isActive: false), Session(seat: ""),
            Session(kind: "greeter"),
        ]
        // A change of seat or class is not signalled: such a session is another one.
        for session in absent {
            try await logind.set("1", nil)
            try await logind.set("1", session)
            try await monitor.expect("absence with \(session)") { $0.isAnybodyPresent == false }
            try await logind.set("1", nil)
            try await logind.set("1", Session())
            try await monitor.expect("presence after \(session)") { $0.isAnybodyPresent == true }
        }
        try await logind.close()
        try await monitor.end()
    }

    @Test("the idleness of a text session, which logind does not signal, is noticed")
    func textSessionsAreReadAgain() async throws {
        let monitor = try await Monitor()
        let logind = try await ScriptedLogind(on: monitor.bus.address, ["1": Session(type: "tty")])
        try await monitor.watch([.presence])
        try await monitor.expect("presence") { $0.isAnybodyPresent == true }
        try await logind.set("1", Session(type: "tty", isIdle: true), signals: false)
        try await monitor.expect("absence") { $0.isAnybodyPresent == false }
        try await logind.close()
        try await monitor.end()
    }

    @Test("without logind or the bus nothing is known, and a restarted logind’s forgotten lock stays in force")
    func lossOfLogindLeavesDoubt() async throws {
        let monitor = try await Monitor()
        try await monitor.watch([.sessionLock, .presence])
        let logind = try await ScriptedLogind(on: monitor.bus.address, ["1": Session(isLocked: true)])
        try await monitor.expect("the lock") { $0.isLocked == true && $0.isAnybodyPresent == false }
        try await logind.close()
        try await monitor.expect("doubt without logind") { $0.isLocked == nil && $0.isAnybodyPresent == nil }
        let restarted = try await ScriptedLogind(on: monitor.bus.address, ["1": Session()])
        try await monitor.expect("the restarted logind") { $0.isLocked == true && $0.isAnybodyPresent == false }
        try await restarted.set("1", Session())
        try await monitor.expect("the session unlocked") { $0.isLocked == false && $0.isAnybodyPresent == true }
        try await monitor.bus.stop()
        try await monitor.expect("doubt without a bus") { $0.isLocked == nil && $0.isAnybodyPresent == nil }
        try await restarted.close()
        try await monitor.watch([])
    }

    @Test("power is UPower’s while that is on the bus, and the kernel’s otherwise")
    func powerIsOfUPowerOrTheKernel() async throws {
        let shared = Shared()
        let monitor = try await Monitor(files: { shared.isOnBattery.withLock { $0 } })
        try await monitor.watch([.power])
        try await monitor.expect("the kernel’s word") { $0.isOnBattery == true }
        shared.isOnBattery.withLock { $0 = nil }
        try await monitor.expect("doubt") { $0.isOnBattery == nil }
        let power = try await ScriptedUPower(on: monitor.bus.address, isOnBattery: true)
        try await monitor.expect("UPower’s word") { $0.isOnBattery == true }
        try await power.set(isOnBattery: false)
        try await monitor.expect("mains") { $0.isOnBattery == false }
        try await power.close()
        try await monitor.expect("doubt again") { $0.isOnBattery == nil }
        try await monitor.end()
    }

    /// What the kernel's files say.
    private final class Shared: Sendable {
        let isOnBattery = Mutex<Bool?>(true)
    }

    @Test("properties that are no longer watched are unknown, and a new watch starts over")
    func unwatchedIsInDoubt() async throws {
        let monitor = try await Monitor(files: { false })
        let logind = try await ScriptedLogind(on: monitor.bus.address, ["1": Session()])
        #expect(try await monitor.values() == Values())
        for _ in 1...2 {
            try await monitor.watch(Set(SurroundingsKind.allCases))
            try await monitor.expect("everything") {
                $0 == Values(isOnBattery: false, isLocked: false, isAnybodyPresent: true, isLoggedIn: true)
            }
            try await monitor.watch([])
            #expect(try await monitor.values() == Values())
        }
        try await logind.close()
        try await monitor.end()
    }

    @Test("an unchanged value is not reported as a change")
    func unchangedAnswersAreNotReported() async throws {
        let monitor = try await Monitor(files: { false })
        let logind = try await ScriptedLogind(on: monitor.bus.address, ["1": Session(type: "tty")])
        try await monitor.watch(Set(SurroundingsKind.allCases))
        try await monitor.expect("everything") { $0.isOnBattery == false && $0.isAnybodyPresent == true }
        let changes = try await monitor.countChanges()
        // Several readings later only this is reported.
        try await logind.set("2", Session(user: 1001, isActive: false))
        try await monitor.expect("the new session’s answer") { _ in !changes.take().isEmpty }
        try await logind.close()
        try await monitor.end()
    }
}
