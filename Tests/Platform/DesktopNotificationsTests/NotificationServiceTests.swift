import LinuxPlumbing
import TestSupport
import Testing

@testable import DesktopNotifications

/// `NotificationService` on a bus of the test's own, with services that the test plays.
@Suite(.timeLimit(.minutes(10)), .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct NotificationServiceTests {
    @Test("notifications are shown, refused, answered and closed")
    func conversation() async throws {
        let bus = try await BusUnderTest.start()
        let desktop = try await DesktopUnderTest(bus.address)
        let service = NotificationService(on: .address(bus.address))
        var events = service.events.makeAsyncIterator()
        try await service.start()
        #expect(await events.next() == .available([.actions]))

        service.show(DesktopNotification(summary: "first"), tag: 7)
        service.show(DesktopNotification(summary: "refused"), tag: 8)
        #expect(await events.next() == .shown(tag: 7))
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
        #expect(await events.next() == .shown(tag: 9))
        service.stop()
        #expect(try await desktop.next("the closing") == "CloseNotification 2")
        #expect(await events.next() == nil)
        try await desktop.close()
    }

    @Test("a signal from another program on the bus presses and closes nothing")
    func impostor() async throws {
        let bus = try await BusUnderTest.start()
        let desktop = try await DesktopUnderTest(bus.address)
        let impostor = try await DesktopUnderTest(bus.address, name: "org.example.Impostor")
        let service = NotificationService(on: .address(bus.address))
        var events = service.events.makeAsyncIterator()
        try await service.start()
        #expect(await events.next() == .available([.actions]))
        service.show(DesktopNotification(summary: "first"), tag: 7)
        #expect(await events.next() == .shown(tag: 7))
        let peer = try #require(await service.uniqueName)
        for _ in 0..<2 {
            try await impostor.signal("ActionInvoked", 1, key: "yes", to: peer)
            try await impostor.signal("NotificationClosed", 1, to: peer)
            // The bus has delivered what the impostor sent when it has answered it.
            try await impostor.finishSending()
        }
        try await desktop.signal("ActionInvoked", 1, key: "no", to: peer)
        #expect(await events.next() == .pressed(tag: 7, key: "no"))
        service.stop()
        while await events.next() != nil {}
        try await impostor.close()
        try await desktop.close()
    }

    @Test("a number of the previous service answers no notification, before and after the next service uses it again")
    func staleNumber() async throws {
        let bus = try await BusUnderTest.start()
        let service = NotificationService(on: .address(bus.address))
        var events = service.events.makeAsyncIterator()
        try await service.start()
        #expect(await events.next() == .unavailable)
        let peer = try #require(await service.uniqueName)
        for tag in [7, 8, 9] {
            let desktop = try await DesktopUnderTest(bus.address)
            #expect(await events.next() == .available([.actions]))
            // The number of what the one before has shown.
            try await desktop.signal("ActionInvoked", 1, key: "yes", to: peer)
            service.show(DesktopNotification(summary: "next"), tag: tag)
            #expect(await events.next() == .shown(tag: tag))
            try await desktop.signal("ActionInvoked", 1, key: "no", to: peer)
            #expect(await events.next() == .pressed(tag: tag, key: "no"))
            try await desktop.close()
            #expect(await events.next() == .unavailable)
        }
        service.stop()
        #expect(await events.next() == nil)
    }

    @Test("shown notifications stay when the program exits")
    func leaving() async throws {
        let bus = try await BusUnderTest.start()
        let desktop = try await DesktopUnderTest(bus.address)
        let service = NotificationService(on: .address(bus.address))
        var events = service.events.makeAsyncIterator()
        try await service.start()
        #expect(await events.next() == .available([.actions]))
        service.show(DesktopNotification(summary: "first"), tag: 1)
        #expect(await events.next() == .shown(tag: 1))
        service.leave()
        #expect(await events.next() == nil)
        #expect(try await desktop.next("the first") == "Notify first")
        let next = NotificationService(on: .address(bus.address))
        events = next.events.makeAsyncIterator()
        try await next.start()
        #expect(await events.next() == .available([.actions]))
        next.show(DesktopNotification(summary: "second"), tag: 1)
        #expect(try await desktop.next("the second, and no closing before it") == "Notify second")
        next.stop()
        // Its connection is closed when its events end.
        while await events.next() != nil {}
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
            let desktop = try await DesktopUnderTest(bus.address)
            #expect(await events.next() == .available([.actions]))
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
