import LinuxPlumbing
import NIOCore
import TestSupport
import Testing
import WiFiPositioning

@testable import WiFiScanning

/// A NetworkManager on a bus of the test's own: a wired device, and a wireless one with two access points.
private struct NetworkManager: Sendable {
    static let root = "/org/freedesktop/NetworkManager"
    private let loop: any EventLoop
    private let bus: NIOLoopBound<BusConnection>
    private let poller: NIOLoopBound<DescriptorPoller>

    init(_ address: String, refusesScans: Bool = false) async throws {
        let loop = ObservedLoops.next()
        let named = loop.makePromise(of: Void.self)
        (bus, poller) = try await loop.submit {
            let poller = try DescriptorPoller(eventLoop: loop, name: "nm")
            let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in }
            try bus.handleCalls(below: Self.root) { Self.answer($0, on: bus, refusesScans) }
            try bus.requestName("org.freedesktop.NetworkManager") { _ in named.succeed() }
            return (NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(poller, eventLoop: loop))
        }.get()
        self.loop = loop
        try await named.futureResult.get()
    }

    private static func answer(_ call: IncomingMessage, on bus: BusConnection, _ refusesScans: Bool) {
        let interface = call.member == "GetAll" ? call.readText() : nil
        switch (call.member, String(call.path.dropFirst(root.count)), interface) {
        case ("GetAll", "", "org.freedesktop.NetworkManager"):
            bus.reply(to: call.pointer) {
                $0.appendArray(of: "{sv}") {
                    $0.appendEntry("Devices", of: "ao") { appendPaths(["/Devices/1", "/Devices/2"], to: &$0) }
                    $0.appendEntry("Connectivity", of: "u") { $0.append(UInt32(4)) }
                }
            }
        case ("GetAll", "/Devices/2", "org.freedesktop.NetworkManager.Device.Wireless"):
            bus.reply(to: call.pointer) {
                $0.appendArray(of: "{sv}") {
                    $0.appendEntry("AccessPoints", of: "ao") {
                        appendPaths(["/AccessPoint/1", "/AccessPoint/2", "/AccessPoint/gone"], to: &$0)
                    }
                }
            }
        case ("GetAll", "/AccessPoint/1", _): appendPoint("A4:2B:B0:11:22:33", lastSeen: 100, to: call, on: bus)
        case ("GetAll", "/AccessPoint/2", _): appendPoint("CC:40:D0:44:55:66", lastSeen: -1, to: call, on: bus)
        case ("RequestScan", "/Devices/2", _) where refusesScans:
            bus.fail(call.pointer, name: "org.freedesktop.NetworkManager.Device.PermissionDenied", message: "No.")
        case ("RequestScan", "/Devices/2", _): bus.reply(to: call.pointer)
        default: bus.fail(call.pointer, name: "org.freedesktop.DBus.Error.InvalidArgs", message: "No such interface")
        }
    }

    private static func appendPaths(_ paths: [String], to message: inout OutgoingMessage) {
        message.appendArray(of: "o") { for path in paths { $0.append(path: root + path) } }
    }

    private static func appendPoint(
        _ address: String, lastSeen: Int32, to call: IncomingMessage, on bus: BusConnection
    ) {
        bus.reply(to: call.pointer) {
            $0.appendArray(of: "{sv}") {
                $0.appendEntry("HwAddress", of: "s") { $0.append(address) }
                $0.appendEntry("Ssid", of: "ay") {
                    $0.appendArray(of: "y") { for byte in "Cafe".utf8 { $0.append(byte) } }
                }
                $0.appendEntry("Frequency", of: "u") { $0.append(UInt32(2412)) }
                $0.appendEntry("Strength", of: "y") { $0.append(UInt8(82)) }
                $0.appendEntry("Mode", of: "u") { $0.append(UInt32(2)) }
                $0.appendEntry("LastSeen", of: "i") { $0.append(lastSeen) }
            }
        }
    }

    func stop() async throws {
        try await loop.submit { [bus, poller] in
            bus.value.close()
            poller.value.stop()
        }.get()
    }
}

@Suite(
    "The access points of NetworkManager", .timeLimit(.minutes(10)),
    .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct NetworkManagerScannerTests {
    private static let absent = WiFiEvent.unavailable(
        WiFiFailure("NetworkManager is not running, which hears the access points"))

    private struct Scanner: Sendable {
        let loop: any EventLoop
        let events: AsyncStream<WiFiEvent>
        let scanner: NIOLoopBound<NetworkManagerScanner>

        init(_ bus: BusUnderTest) async throws {
            let loop = ObservedLoops.next()
            let (events, continuation) = AsyncStream.makeStream(of: WiFiEvent.self)
            scanner = try await loop.submit {
                let scanner = NetworkManagerScanner(on: SystemBus(at: .address(bus.address), eventLoop: loop))
                scanner.open { continuation.yield($0) }
                return NIOLoopBound(scanner, eventLoop: loop)
            }.get()
            (self.loop, self.events) = (loop, events)
        }

        func read() async throws -> Result<WiFiScan, WiFiFailure> {
            let promise = loop.makePromise(of: Result<WiFiScan, WiFiFailure>.self)
            loop.execute { scanner.value.read { promise.succeed($0) } }
            return try await promise.futureResult.get()
        }

        func close() async throws { try await loop.submit { scanner.value.close() }.get() }
    }

    @Test("are read with their names, strengths and times, of wireless devices only")
    func reading() async throws {
        let bus = try await BusUnderTest.start()
        let manager = try await NetworkManager(bus.address)
        let scanner = try await Scanner(bus)
        var events = scanner.events.makeAsyncIterator()
        #expect(await events.next() == .available)
        let scan = try await scanner.read().get()
        #expect(scan.isOnline)
        #expect(Set(scan.points.map(\.address)) == ["A4:2B:B0:11:22:33", "CC:40:D0:44:55:66"])
        #expect(Set(scan.points.map(\.lastSeen)) == [.seconds(100), nil])
        #expect(
            scan.points.allSatisfy {
                $0.name == Array("Cafe".utf8) && $0.frequency == 2412 && $0.strength == 82 && $0.isInfrastructure
            })
        try await manager.stop()
        #expect(await events.next() == Self.absent)
        try await scanner.close()
        try await bus.stop()
    }

    @Test("are not scanned for without permission, which is reported with its remedy")
    func refusedScan() async throws {
        let bus = try await BusUnderTest.start()
        let manager = try await NetworkManager(bus.address, refusesScans: true)
        let scanner = try await Scanner(bus)
        var events = scanner.events.makeAsyncIterator()
        #expect(await events.next() == .available)
        _ = try await scanner.read()
        let promise = scanner.loop.makePromise(of: WiFiFailure?.self)
        scanner.loop.execute { scanner.scanner.value.requestScan { promise.succeed($0) } }
        let failure = try await promise.futureResult.get()
        #expect(failure?.description.contains("sudo locationctl sources enable wifi") == true)
        try await scanner.close()
        try await manager.stop()
        try await bus.stop()
    }

    @Test("are none without NetworkManager")
    func absence() async throws {
        let bus = try await BusUnderTest.start()
        let scanner = try await Scanner(bus)
        var events = scanner.events.makeAsyncIterator()
        #expect(await events.next() == Self.absent)
        try await scanner.close()
        try await bus.stop()
    }
}
