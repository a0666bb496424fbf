import LinuxPlumbing
import NIOCore
import TestSupport
import Testing

@testable import DesktopNotifications

/// `NotificationService` on a bus of the test's own, with services that the test plays.
@Suite(.timeLimit(.minutes(1)), .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct NotificationServiceTests {
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// A notification service that counts its notifications and does what the test says.
    private struct Desktop: Sendable {
        let loop = ObservedLoops.next()
        private let bus: NIOLoopBound<BusConnection>
        private let poller: NIOLoopBound<DescriptorPoller>
        /// The calls, with their number or summary.
        private let calls: AsyncStream<String>

        /// Starts one that refuses notifications with this summary.
        init(_ address: String, refusing refused: String = "refused") async throws {
            let (stream, continuation) = AsyncStream.makeStream(of: String.self)
            calls = stream
            (bus, poller) = try await loop.submit { [loop] in
                let poller = try DescriptorPoller(eventLoop: loop, name: "desktop")
                let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in }
                var last: UInt32 = 0
                try bus.handleCalls(below: NotificationServiceTests.path) { [unowned bus] call in
                    switch call.member {
                    case "GetCapabilities":
                        bus.reply(to: call.pointer) { $0.appendArray(of: "s") { $0.append("actions") } }
                    case "Notify":
                        let texts = (call.readText(), call.readWord(), call.readText(), call.readText())
                        continuation.yield("Notify \(texts.3 ?? "")")
                        guard texts.3 != refused else {
                            return bus.fail(call.pointer, name: "org.example.Refused", message: "Too many.")
                        }
                        last += 1
                        let number = last
                        bus.reply(to: call.pointer) { $0.append(number) }
                    default:
                        continuation.yield("\(call.member) \(call.readWord() ?? 0)")
                        bus.reply(to: call.pointer)
                    }
                }
                try bus.requestName(NotificationServiceTests.name) { _ in continuation.yield("named") }
                return (NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(poller, eventLoop: loop))
            }.get()
            #expect(try await next("its name") == "named")
        }

        func next(_ what: String) async throws -> String {
            var iterator = calls.makeAsyncIterator()
            return try await iterator.first(what) { _ in true }
        }

        /// Sends a signal about a notification to all.
        func signal(_ member: String, _ number: UInt32, key: String? = nil, to peer: String) async throws {
            try await loop.submit { [bus] in
                bus.value.signal(
                    member, of: NotificationServiceTests.name, at: NotificationServiceTests.path, to: peer
                ) {
                    $0.append(number)
                    if let key { $0.append(key) }
                }
            }.get()
        }

        func close() async throws {
            try await loop.submit { [self] in
                bus.value.close()
                poller.value.stop()
            }.get()
        }
    }

    @Test("notifications are shown, refused, answered and closed")
    func conversation() async throws {
        let bus = try await BusUnderTest.start()
        let desktop = try await Desktop(bus.address)
        let service = NotificationService(on: .address(bus.address))
        var events = service.events.makeAsyncIterator()
        try await service.start()
        #expect(await events.next() == .available(.actions))

        service.show(DesktopNotification(summary: "first"), tag: 7)
        service.show(DesktopNotification(summary: "refused"), tag: 8)
        #expect(await events.next() == .refused(tag: 8, reason: "Too many."))
        #expect(try await desktop.next("the first") == "Notify first")
        #expect(try await desktop.next("the second") == "Notify refused")

        let peer = try #require(await service.uniqueName)
        try await desktop.signal("ActionInvoked", 1, key: "yes", to: peer)
        #expect(await events.next() == .pressed(tag: 7, key: "yes"))
        try await desktop.signal("NotificationClosed", 1, to: peer)
        #expect(await events.next() == .closed(tag: 7))

        service.show(DesktopNotification(summary: "second"), tag: 9)
        #expect(try await desktop.next("the second") == "Notify second")
        service.stop()
        #expect(try await desktop.next("the closing") == "CloseNotification 2")
        #expect(await events.next() == nil)
        try await desktop.close()
    }

    @Test("a service that ends and another that starts are reported, each once")
    func servicesComeAndGo() async throws {
        let bus = try await BusUnderTest.start()
        let service = NotificationService(on: .address(bus.address))
        var events = service.events.makeAsyncIterator()
        try await service.start()
        #expect(await events.next() == .unavailable)
        for _ in 0..<2 {
            let desktop = try await Desktop(bus.address)
            #expect(await events.next() == .available(.actions))
            try await desktop.close()
            #expect(await events.next() == .unavailable)
        }
        service.stop()
        #expect(await events.next() == nil)
    }

    @Test("the end of the bus is the last event, and without a bus nothing starts")
    func endOfBus() async throws {
        let bus = try await BusUnderTest.start()
        let service = NotificationService(on: .address(bus.address))
        var events = service.events.makeAsyncIterator()
        try await service.start()
        #expect(await events.next() == .unavailable)
        try await bus.stop()
        let last = await events.next()
        if case .ended? = last {} else { Issue.record("\(String(describing: last)) instead of the end") }
        #expect(await events.next() == nil)
        await #expect(throws: SystemdError.self) {
            try await NotificationService(on: .address(bus.address)).start()
        }
    }
}
