import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import LinuxPlumbing

@Suite(.timeLimit(.minutes(10)), .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct SystemUnitStarterTests {
    /// A service manager that records what it is asked to start. It starts `good.service`, does not answer for `slow.service`,
    /// and refuses all others.
    private final class Manager: Sendable {
        private final class Calls: Sendable {
            let made = Mutex<[String]>([])
        }

        private let service: ScriptedBusService<Calls>
        private let calls = Calls()

        init(on address: String) async throws {
            let calls = calls
            service = try await ScriptedBusService(
                SystemUnitStarter.name, below: SystemUnitStarter.path, on: address, state: { calls },
                answer: { call, bus, calls in
                    let arguments = (call.readArguments() ?? []).compactMap(\.text)
                    calls.made.withLock { $0.append(([call.member] + arguments).joined(separator: " ")) }
                    switch arguments.first {
                    case "good.service":
                        bus.reply(to: call.pointer) { $0.append(path: "/org/freedesktop/systemd1/job/1") }
                    case "slow.service": break
                    default:
                        let name = "org.freedesktop.DBus.Error.AccessDenied"
                        bus.fail(call.pointer, name: name, message: "Permission denied")
                    }
                })
        }

        var made: [String] { calls.made.withLock { $0 } }

        func expect(_ expected: [String]) async throws {
            try await service.ensure("\(expected)") { calls in calls.made.withLock { $0 == expected } }
        }

        func close() async throws { try await service.close() }
    }

    /// A starter on a loop of its own, and what it has reported.
    ///
    /// `@unchecked Sendable` because everything is used on `loop` only.
    private final class Subject: @unchecked Sendable {
        let loop = ObservedLoops.next()
        private let starter: SystemUnitStarter
        private var results: [String] = []

        init(_ address: String) {
            starter = SystemUnitStarter(bus: SystemBus(at: .address(address), eventLoop: loop))
        }

        func start(_ unit: String) async throws {
            try await loop.submit { [self] in
                starter.start(unit) { [self] result in
                    switch result {
                    case .success: results.append("\(unit): started")
                    case .failure(let failure): results.append("\(unit): \(failure)")
                    }
                }
            }.get()
        }

        func expect(_ expected: [String]) async throws {
            try await ObservedLoops.ensure("\(expected)", on: loop) { [self] in results == expected }
        }

        func close() async throws { try await loop.submit { [self] in starter.close() }.get() }
    }

    @Test("a unit is started without replacing other jobs, and a refusal is reported with its reason")
    func unitsAreStarted() async throws {
        let bus = try await BusUnderTest.start()
        let manager = try await Manager(on: bus.address)
        let subject = Subject(bus.address)
        try await subject.start("good.service")
        try await subject.expect(["good.service: started"])
        // The bus was let go meanwhile.
        try await subject.start("bad.service")
        try await subject.expect(["good.service: started", "bad.service: Permission denied"])
        #expect(manager.made == ["StartUnit good.service fail", "StartUnit bad.service fail"])
        try await manager.close()
        try await bus.stop()
    }

    @Test("without systemd on the bus a start fails, and without a bus it waits for one")
    func missingManagerIsReported() async throws {
        let bus = try await BusUnderTest.start()
        let subject = Subject(bus.address)
        try await subject.start("good.service")
        try await subject.expect(["good.service: There is no systemd on the bus."])
        try await bus.stop()
        try await subject.start("good.service")
        let restarted = try await bus.restart()
        try await subject.expect(Array(repeating: "good.service: There is no systemd on the bus.", count: 2))
        try await subject.close()
        try await restarted.stop()
    }

    @Test("after the end nothing is reported")
    func closedStarterReportsNothing() async throws {
        let bus = try await BusUnderTest.start()
        let manager = try await Manager(on: bus.address)
        let subject = Subject(bus.address)
        try await subject.start("slow.service")
        try await manager.expect(["StartUnit slow.service fail"])
        try await subject.close()
        try await subject.start("bad.service")
        try await subject.expect(["bad.service: Permission denied"])
        try await subject.close()
        try await manager.close()
        try await bus.stop()
    }
}
