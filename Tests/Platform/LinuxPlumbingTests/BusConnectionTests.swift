import NIOCore
import TestSupport
import Testing

@testable import LinuxPlumbing

@Suite(.timeLimit(.minutes(10)), .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct BusConnectionTests {
    /// What a connection reports to its test.
    enum Event: Equatable, Sendable {
        case named
        case confirmed
        case reply([String])
        case error(String)
        case signal(member: String, number: UInt32?, isUnicast: Bool)
        case failed
    }

    /// A connection on a loop, and what it reports.
    private struct Peer: Sendable {
        let loop = ObservedLoops.next()
        let bus: NIOLoopBound<BusConnection>
        private let poller: NIOLoopBound<DescriptorPoller>
        private let slots: NIOLoopBoundBox<[BusConnection.Slot]>
        private let continuation: AsyncStream<Event>.Continuation
        private let events: AsyncStream<Event>

        init(_ address: String) async throws {
            let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
            (events, self.continuation) = (stream, continuation)
            (bus, poller, slots) = try await loop.submit { [loop] in
                let poller = try DescriptorPoller(eventLoop: loop, name: "test")
                let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in
                    continuation.yield(.failed)
                }
                return (
                    NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(poller, eventLoop: loop),
                    NIOLoopBoundBox([], eventLoop: loop)
                )
            }.get()
        }

        func next(_ what: String) async throws -> Event {
            var iterator = events.makeAsyncIterator()
            return try await iterator.first(what) { _ in true }
        }

        func perform(
            _ body: @escaping @Sendable (BusConnection, AsyncStream<Event>.Continuation) throws -> BusConnection.Slot?
        ) async throws {
            try await loop.submit { [self] in
                if let slot = try body(bus.value, continuation) { slots.value.append(slot) }
            }.get()
        }

        func close() async throws {
            try await loop.submit { [self] in
                slots.value = []
                bus.value.close()
                poller.value.stop()
            }.get()
        }
    }

    private static let name = "org.example.Service"

    /// A peer that has the name, and answers calls with what they hold, or with an error, or never.
    private func service(on bus: BusUnderTest) async throws -> Peer {
        let service = try await Peer(bus.address)
        try await service.perform { bus, events in
            try bus.handleCalls(below: "/org/example") { call in
                switch call.member {
                case "Echo": bus.reply(to: call.pointer) { message in Self.read(call).forEach { message.append($0) } }
                case "Refuse": bus.fail(call.pointer, name: "org.example.Refused", message: "Not today.")
                default: break
                }
            }
            try bus.requestName(Self.name) { _ in events.yield(.named) }
            return nil
        }
        #expect(try await service.next("the name") == .named)
        return service
    }

    /// The values of the message that `write` makes, as text.
    private static func read(_ message: IncomingMessage) -> [String] {
        var texts: [String] = []
        texts.append(message.readText() ?? "no text")
        texts.append(message.readWord(BusType.boolean).map { "\($0)" } ?? "no boolean")
        texts.append(message.readWord().map { "\($0)" } ?? "no number")
        texts.append(message.readTexts()?.joined(separator: "+") ?? "no texts")
        message.readEntries { key in
            texts.append("\(key): \(message.variantSignature ?? "?")")
            guard key == "known" else { return false }
            texts.append(message.readVariant(of: "s") { message.readText() } ?? "no text")
            return true
        }
        return texts
    }

    @Sendable private static func write(_ message: inout OutgoingMessage) {
        message.append("text")
        message.append(true)
        message.append(UInt32.max)
        message.appendArray(of: "s") {
            $0.append("one")
            $0.append("two")
        }
        message.appendArray(of: "{sv}") {
            $0.appendEntry("unknown", of: "y") { $0.append(UInt8(7)) }
            $0.appendEntry("known", of: "s") { $0.append("value") }
        }
    }

    @Test("values that are appended to a message are read from it, and skipping values does not disturb the others")
    func appendedValuesAreRead() async throws {
        let bus = try await BusUnderTest.start()
        let service = try await service(on: bus)
        let client = try await Peer(bus.address)
        try await client.perform { bus, events in
            bus.call("Echo", of: Self.name, at: "/org/example", of: Self.name, timeout: .seconds(60), Self.write) {
                var texts: [String] = []
                while let text = $0.readText() { texts.append(text) }
                events.yield(.reply(texts))
            }
        }
        #expect(
            try await client.next("the reply")
                == .reply(["text", "1", "4294967295", "one+two", "unknown: y", "known: s", "value"]))
        try await client.close()
        try await service.close()
    }

    @Test("a bus call is answered with the peer's error, or with one after its timeout")
    func callsFail() async throws {
        let bus = try await BusUnderTest.start()
        let service = try await service(on: bus)
        let client = try await Peer(bus.address)
        for (member, error) in [("Refuse", "Not today."), ("Ignore", "Method call timed out")] {
            try await client.perform { bus, events in
                bus.call(
                    member, of: Self.name, at: "/org/example", of: Self.name,
                    timeout: member == "Ignore" ? .milliseconds(1) : .seconds(60), { _ in }
                ) { events.yield(.error($0.errorText ?? "no error")) }
            }
            #expect(try await client.next("the error of \(member)") == .error(error))
        }
        try await client.close()
        try await service.close()
    }

    @Test("signals reach the observers whose rule the bus has confirmed, and are marked if sent to one peer alone")
    func signals() async throws {
        let bus = try await BusUnderTest.start()
        let service = try await service(on: bus)
        let client = try await Peer(bus.address)
        try await client.perform { bus, events in
            try bus.handleSignals(
                matching: "type='signal',interface='\(Self.name)'", confirmation: { _ in events.yield(.confirmed) }
            ) {
                events.yield(.signal(member: $0.member, number: $0.readWord(), isUnicast: $0.isUnicast))
            }
        }
        #expect(try await client.next("the confirmation") == .confirmed)
        let name = try await client.loop.submit { [client] in try #require(client.bus.value.uniqueName) }.get()
        try await service.perform { bus, _ in
            bus.signal("Changed", of: Self.name, at: "/org/example", to: name) { $0.append(UInt32(5)) }
            return nil
        }
        #expect(try await client.next("the signal") == .signal(member: "Changed", number: 5, isUnicast: true))
        try await client.close()
        try await service.close()
    }

    @Test("the end of the bus is reported once, and the connection is closed then")
    func endOfBus() async throws {
        let bus = try await BusUnderTest.start()
        let service = try await service(on: bus)
        try await bus.stop()
        #expect(try await service.next("the failure") == .failed)
        try await service.perform { bus, _ in
            let slot = bus.call(
                "Echo", of: Self.name, at: "/org/example", of: Self.name, timeout: .seconds(60), { _ in }
            ) {
                _ in
            }
            #expect(slot == nil)
            return nil
        }
        try await service.close()
    }

    @Test(
        "object paths are encoded and decoded, and foreign ones are not decoded",
        arguments: ["1", "c4", "with space/and slash", "ä"])
    func paths(name: String) throws {
        let path = try #require(BusPath.encode(name, below: "/org/example"))
        #expect(BusPath.decode(path, below: "/org/example") == name)
        #expect(BusPath.decode(path, below: "/org/other") == nil)
    }
}
