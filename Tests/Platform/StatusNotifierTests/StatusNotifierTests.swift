import LinuxPlumbing
import NIOCore
import TestSupport
import Testing

@testable import StatusNotifier

/// `StatusNotifier` on a bus of the test's own, with a watcher that the test plays.
@Suite(
    "An item in the panel", .timeLimit(.minutes(10)),
    .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct StatusNotifierTests {
    private static let item = StatusItem(
        title: "In use", details: ["<i>A & B</i>"],
        menu: [
            .init(id: 1, label: "a_b: exact", isEnabled: false), .init(id: 2, label: "Stop a_b"),
            .separator(id: 3), .init(id: 4, label: "Privacy…"),
        ])

    @Test("an item is registered, read, and activated; only shown and enabled entries can be chosen")
    func conversation() async throws {
        let bus = try await BusUnderTest.start()
        let panel = try await PanelUnderTest(bus.address)
        let notifier = StatusNotifier(on: .address(bus.address))
        var events = notifier.events.makeAsyncIterator()
        notifier.show(Self.item)
        let peer = try await panel.registered()
        #expect(await events.next() == .registered)

        let properties = try await panel.call("GetAll", of: ItemInterface.properties, at: ItemInterface.itemPath, peer)
        {
            $0.append(ItemInterface.item)
        }
        #expect(properties.first?["Title"]?.text == "In use")
        #expect(properties.first?["Status"]?.text == "Active")
        #expect(properties.first?["Menu"]?.text == "/MenuBar")
        let toolTip = properties.first?["ToolTip"]?.list
        #expect(toolTip?.last?.text == "‹i›A ＆ B‹/i›")
        let pixmaps = try #require(properties.first?["IconPixmap"]?.list)
        let sizes: [Int] = pixmaps.map { $0.list?.last?.bytes?.count ?? 0 }
        #expect(sizes == [22 * 22 * 4, 44 * 44 * 4])

        let layout = try await panel.layout(of: peer)
        #expect(layout.labels == ["a__b: exact (disabled)", "Stop a__b", "-", "Privacy…"])
        for id in [1, 3, 9, 2] as [Int32] { try await panel.click(id, of: peer) }
        #expect(await events.next() == .chosen(entry: 2))

        var next = Self.item
        next.menu.removeLast(3)
        notifier.show(next)
        #expect(try await panel.signal() == "LayoutUpdated")
        let shorter = try await panel.layout(of: peer)
        #expect(shorter.labels.count == 1)
        #expect(shorter.revision == layout.revision + 1)
        // The panel may still show the menu from before.
        try await panel.click(4, of: peer)
        next.title = "Still in use"
        notifier.show(next)
        #expect(try await panel.signal() == "NewTitle")
        #expect(try await panel.signal() == "NewToolTip")
        notifier.show(nil)
        try await panel.awaitEnd(of: peer)
        notifier.stop()
        #expect(await events.next() == nil)
        try await panel.close()
    }

    @Test("the watcher may start later, and again")
    func watcherLater() async throws {
        let bus = try await BusUnderTest.start()
        let notifier = StatusNotifier(on: .address(bus.address))
        var events = notifier.events.makeAsyncIterator()
        notifier.show(Self.item)
        var peers: Set<String> = []
        for _ in 0..<2 {
            let panel = try await PanelUnderTest(bus.address)
            peers.insert(try await panel.registered())
            #expect(await events.next() == .registered)
            try await panel.close()
        }
        #expect(peers.count == 1)
        notifier.stop()
    }

    @Test("of two processes one shows the item, and the other when that has ended")
    func twoAgents() async throws {
        let bus = try await BusUnderTest.start()
        let panel = try await PanelUnderTest(bus.address)
        let (first, second) = (StatusNotifier(on: .address(bus.address)), StatusNotifier(on: .address(bus.address)))
        var firstEvents = first.events.makeAsyncIterator()
        var secondEvents = second.events.makeAsyncIterator()
        first.show(Self.item)
        let peer = try await panel.registered()
        #expect(await firstEvents.next() == .registered)
        second.show(Self.item)
        first.stop()
        let next = try await panel.registered()
        #expect(next != peer)
        #expect(await secondEvents.next() == .registered)
        second.stop()
        try await panel.close()
    }

    @Test("without a bus the item reports that, and is shown with the next change once there is one")
    func withoutBus() async throws {
        let bus = try await BusUnderTest.start()
        let notifier = StatusNotifier(on: .address(bus.address))
        var events = notifier.events.makeAsyncIterator()
        try await bus.stop()
        notifier.show(Self.item)
        guard case .failed = await events.next() else {
            Issue.record("it has not failed")
            return
        }
        let again = try await bus.restart()
        let panel = try await PanelUnderTest(again.address)
        notifier.show(Self.item)
        _ = try await panel.registered()
        #expect(await events.next() == .registered)
        notifier.stop()
        try await panel.close()
    }
}

/// A panel with a watcher, which reads items.
struct PanelUnderTest: Sendable {
    private static let watcher = "org.kde.StatusNotifierWatcher"

    private let loop = ObservedLoops.next()
    private let bus: NIOLoopBound<BusConnection>
    private let poller: NIOLoopBound<DescriptorPoller>
    private let signals: NIOLoopBound<BusConnection.Slot>
    /// The connections that register, those that end, and signals, each with a word before it.
    private let events: AsyncStream<String>

    init(_ address: String) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        events = stream
        (bus, poller, signals) = try await loop.submit { [loop] in
            let poller = try DescriptorPoller(eventLoop: loop, name: "panel")
            let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in }
            try bus.handleCalls(below: "/StatusNotifierWatcher") { [unowned bus] call in
                bus.reply(to: call.pointer)
                if call.readText() == ItemInterface.itemPath { continuation.yield("item \(call.sender)") }
            }
            // Signals to this connection alone need no rule at the bus.
            let signals = try bus.handleSignals(matching: "type='signal'") { message in
                if message.member == "NameOwnerChanged" {
                    let name = message.readText() ?? ""
                    if message.readText() != nil, message.readText() == "" { continuation.yield("end \(name)") }
                } else if message.isUnicast, !message.isFromBus {
                    continuation.yield("signal \(message.member)")
                }
            }
            try bus.requestName(Self.watcher) { _ in continuation.yield("named") }
            return (
                NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(poller, eventLoop: loop),
                NIOLoopBound(signals, eventLoop: loop)
            )
        }.get()
        _ = try await first("its name") { $0 == "named" }
    }

    private func first(_ what: String, _ isMet: (String) -> Bool) async throws -> String {
        var iterator = events.makeAsyncIterator()
        return try await iterator.first(what, where: isMet)
    }

    /// The connection of the next item that registers.
    func registered() async throws -> String {
        String(try await first("an item") { $0.hasPrefix("item ") }.dropFirst(5))
    }

    /// The next signal of an item.
    func signal() async throws -> String {
        String(try await first("a signal") { $0.hasPrefix("signal ") }.dropFirst(7))
    }

    func awaitEnd(of peer: String) async throws { _ = try await first("the end of \(peer)") { $0 == "end \(peer)" } }

    /// Calls a method of an item and returns the arguments of the reply.
    func call(
        _ member: String, of interface: String, at path: String, _ peer: String,
        _ write: @escaping @Sendable (inout OutgoingMessage) -> Void
    ) async throws -> [BusArgument] {
        let answer = loop.makePromise(of: [BusArgument].self)
        let slot = try await loop.submit { [bus, loop] in
            NIOLoopBound(
                bus.value.call(member, of: interface, at: path, of: peer, timeout: .seconds(25), write) { reply in
                    answer.succeed(reply.errorName == nil ? reply.readArguments() ?? [] : [])
                }, eventLoop: loop)
        }.get()
        let arguments = try await answer.futureResult.get()
        try await loop.submit { slot.value?.cancel() }.get()
        return arguments
    }

    /// The menu of an item: the number of its changes, and the labels of its entries.
    func layout(of peer: String) async throws -> (revision: Int, labels: [String]) {
        let reply = try await call("GetLayout", of: ItemInterface.menu, at: ItemInterface.menuPath, peer) {
            $0.append(Int32(0))
            $0.append(Int32(-1))
            $0.appendArray(of: "s")
        }
        let entries = reply.last?.list?.last?.list ?? []
        let labels = entries.map { entry in
            let properties = entry.list?[1]
            guard let label = properties?["label"]?.text else { return "-" }
            return label + (properties?["enabled"]?.isTrue == false ? " (disabled)" : "")
        }
        return (reply.first?.integer ?? 0, labels)
    }

    /// Clicks an entry.
    func click(_ id: Int32, of peer: String) async throws {
        _ = try await call("Event", of: ItemInterface.menu, at: ItemInterface.menuPath, peer) {
            $0.append(id)
            $0.append("clicked")
            $0.appendVariant(of: "s") { $0.append("") }
            $0.append(UInt32(0))
        }
    }

    func close() async throws {
        try await loop.submit { [self] in
            signals.value.cancel()
            bus.value.close()
            poller.value.stop()
        }.get()
    }
}
