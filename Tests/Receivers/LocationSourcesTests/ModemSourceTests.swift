import LinuxPlumbing
import LocationModel
import NIOCore
import TestSupport
import Testing

@testable import LocationSources

@Suite(.timeLimit(.minutes(10)), .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct ModemSourceTests {
    private typealias Setup = ScriptedModemManager.Setup

    /// A group with the modems as its source.
    private struct Subject: Sendable {
        let loop = ObservedLoops.next()
        let group: SourceGroup
        let events: AsyncStream<SourceEvent>

        init(_ address: String) async throws {
            let (events, continuation) = AsyncStream.makeStream(of: SourceEvent.self)
            self.events = events
            let bus = SystemBus(at: .address(address), eventLoop: loop)
            let group = SourceGroup(eventLoop: loop) { continuation.yield($0) }
            try await loop.submit {
                let modems = SourceDefinition("modem") {
                    ModemSource(bus: bus, context: SourceContext(eventLoop: bus.eventLoop, logger: .silent, report: $0))
                }
                group.configure([modems])
            }.get()
            self.group = group
        }

        func setNeeded(_ isNeeded: Bool) async throws {
            try await loop.submit { [group] in group.setDemand(isNeeded ? .continuous : .off) }.get()
        }

        @discardableResult
        func status(
            _ what: String, where isAsExpected: @escaping @Sendable (SourceStatus) -> Bool
        ) async throws -> SourceStatus {
            try await ObservedLoops.ensure(what, on: loop) { [group] in isAsExpected(group.statuses[0]) }
            return try await loop.submit { [group] in group.statuses[0] }.get()
        }

        func shutdown() async throws { try await loop.submit { [group] in group.shutdown() }.get() }
    }

    @Test("the receiver is switched on while a location is needed, read, and switched off")
    func fix() async throws {
        let bus = try await BusUnderTest.start()
        let manager = try await ScriptedModemManager(on: bus.address)
        var setups = manager.setups.makeAsyncIterator()
        let subject = try await Subject(bus.address)
        #expect(try await subject.status("the state at rest") { _ in true }.connection == .idle)
        try await subject.setNeeded(true)
        #expect(try await setups.first("switching on") { _ in true } == Setup(sources: 5, signals: false))
        var events = subject.events.makeAsyncIterator()
        let location = try await events.location()
        #expect(location.sourceInformation == .init(kind: .modem, device: "modem:1-1"))
        let status = try await subject.status("the connection") { $0.connection == .connected }
        #expect(status.lastError == nil)
        let receiver = try #require(status.receivers.first)
        #expect(receiver.driver == "SIMCOM SIM7600E" && receiver.mode == .threeDimensional && receiver.isCurrent)
        try await subject.setNeeded(false)
        #expect(try await setups.first("switching off") { _ in true } == Setup(sources: 1, signals: false))
        try await subject.status("the end of its use of the bus") { $0.connection == .idle }
        try await subject.shutdown()
        try await manager.close()
    }

    @Test("the end of the service switches off what was switched on")
    func shutdown() async throws {
        let bus = try await BusUnderTest.start()
        let manager = try await ScriptedModemManager(on: bus.address, enabled: 3)
        var setups = manager.setups.makeAsyncIterator()
        let subject = try await Subject(bus.address)
        try await subject.setNeeded(true)
        #expect(try await setups.first("switching on") { _ in true } == Setup(sources: 7, signals: false))
        var events = subject.events.makeAsyncIterator()
        _ = try await events.location()
        try await subject.shutdown()
        #expect(try await setups.first("switching off") { _ in true } == Setup(sources: 3, signals: false))
        try await manager.close()
    }

    @Test("a silent receiver is reported as such, and is read again once it reports")
    func silence() async throws {
        let bus = try await BusUnderTest.start()
        let manager = try await ScriptedModemManager(on: bus.address)
        let subject = try await Subject(bus.address)
        try await subject.setNeeded(true)
        var events = subject.events.makeAsyncIterator()
        _ = try await events.location()
        try await manager.set(isSilent: true)
        #expect(try await events.unavailability() == .silent)
        try await subject.status("the reason") {
            $0.lastError == "The receiver of modem:1-1 is silent: ModemManager repeats its last answer."
        }
        try await manager.set(isSilent: false)
        _ = try await events.location()
        try await subject.status("no reason") { $0.lastError == nil }
        try await subject.shutdown()
        try await manager.close()
    }

    @Test("a refusal names its remedy, and another program's change is reported")
    func problems() async throws {
        let bus = try await BusUnderTest.start()
        let manager = try await ScriptedModemManager(on: bus.address)
        var setups = manager.setups.makeAsyncIterator()
        try await manager.set(isRefusing: true)
        let subject = try await Subject(bus.address)
        try await subject.setNeeded(true)
        try await subject.status("the refusal") {
            $0.lastError
                == "ModemManager does not let this service use the receiver of modem:1-1: PolicyKit authorization "
                + "failed: not authorized for 'x'. To fix it, run: sudo locationctl sources enable modem"
        }
        try await subject.setNeeded(false)
        try await manager.set(isRefusing: false)
        try await subject.setNeeded(true)
        #expect(try await setups.first("switching on") { _ in true } == Setup(sources: 5, signals: false))
        var events = subject.events.makeAsyncIterator()
        _ = try await events.location()
        try await manager.setUp(sources: 1)
        try await subject.status("the switching off") {
            $0.lastError?.hasPrefix("Another program has switched") ?? false
        }
        try await manager.setUp(sources: 5, signals: true)
        try await subject.status("the exposure") { $0.lastError?.contains("to every user") ?? false }
        try await subject.shutdown()
        try await manager.close()
    }

    @Test("a modem and ModemManager itself may appear and disappear")
    func comingAndGoing() async throws {
        let bus = try await BusUnderTest.start()
        let subject = try await Subject(bus.address)
        try await subject.setNeeded(true)
        var events = subject.events.makeAsyncIterator()
        #expect(try await events.unavailability() == .notConnected)
        try await subject.status("the absence of ModemManager") {
            $0.connection == .retrying && $0.lastError?.hasPrefix("ModemManager is not running.") ?? false
        }
        let manager = try await ScriptedModemManager(on: bus.address, isPlugged: false)
        try await subject.status("the absence of a modem") {
            $0.connection == .connected
                && $0.lastError == "ModemManager has no modem with a receiver that it can read."
        }
        try await manager.plug()
        _ = try await events.location()
        try await manager.unplug()
        #expect(try await events.unavailability() == .noReceiver)
        try await manager.close()
        try await subject.status("the end of ModemManager") { $0.connection == .retrying }
        try await subject.setNeeded(false)
        try await subject.status("the end of its use of the bus") { $0.connection == .idle }
        try await subject.shutdown()
    }
}
