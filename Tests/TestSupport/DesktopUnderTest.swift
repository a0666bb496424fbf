import LinuxPlumbing
import NIOCore

/// A notification service that counts its notifications and does what the test says.
package struct DesktopUnderTest: Sendable {
    package static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    private let loop = ObservedLoops.next()
    private let bus: NIOLoopBound<BusConnection>
    private let poller: NIOLoopBound<DescriptorPoller>
    /// The calls, with their number or summary and body.
    private let calls: AsyncStream<String>

    /// Starts one that refuses notifications with this summary. One that shows bodies has them in its calls, too. One with another
    /// name on the bus is another program.
    package init(
        _ address: String, refusing refused: String = "refused", capabilities: [String] = ["actions"],
        name: String = DesktopUnderTest.name
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        calls = stream
        (bus, poller) = try await loop.submit { [loop] in
            let poller = try DescriptorPoller(eventLoop: loop, name: "desktop")
            let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in }
            var last: UInt32 = 0
            try bus.handleCalls(below: Self.path) { [unowned bus] call in
                switch call.member {
                case "GetCapabilities":
                    bus.reply(to: call.pointer) { message in
                        message.appendArray(of: "s") { for name in capabilities { $0.append(name) } }
                    }
                case "Notify":
                    let texts = (call.readText(), call.readWord(), call.readText(), call.readText())
                    let body = capabilities.contains("body") ? "\n\(call.readText() ?? "")" : ""
                    continuation.yield("Notify \(texts.3 ?? "")\(body)")
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
            try bus.requestName(name) { _ in continuation.yield("named") }
            return (NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(poller, eventLoop: loop))
        }.get()
        var iterator = calls.makeAsyncIterator()
        _ = try await iterator.first("its name") { $0 == "named" }
    }

    package func next(_ what: String) async throws -> String {
        var iterator = calls.makeAsyncIterator()
        return try await iterator.first(what) { _ in true }
    }

    /// Sends a signal about a notification to all.
    package func signal(_ member: String, _ number: UInt32, key: String? = nil, to peer: String) async throws {
        try await loop.submit { [bus] in
            bus.value.signal(
                member, of: Self.name, at: Self.path, to: peer
            ) {
                $0.append(number)
                if let key { $0.append(key) }
            }
        }.get()
    }

    /// Waits until the bus has passed on what was sent before.
    package func finishSending() async throws {
        let answered = loop.makePromise(of: Void.self)
        let call = try await loop.submit { [loop, bus] in
            let slot = bus.value.call(
                "GetId", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
                timeout: .seconds(25)
            ) { _ in
            } handler: { _ in
                answered.succeed()
            }
            if slot == nil { answered.succeed() }
            return NIOLoopBound(slot, eventLoop: loop)
        }.get()
        try await answered.futureResult.get()
        try await loop.submit { call.value?.cancel() }.get()
    }

    package func close() async throws {
        try await loop.submit { [self] in
            bus.value.close()
            poller.value.stop()
        }.get()
    }
}
