import CSystemd
import LinuxPlumbing
package import NIOCore
import NIOPosix
package import TestSupport
import Testing

@testable package import GeoClueFrontEnd
@testable import PeerIdentification

extension BusUnderTest {
    /// The program that all connections of the test are of.
    package static var ownExecutable: String { ProcessEvidence.readLink("/proc/self/exe") ?? "" }
}

/// One program on the bus, in place of Firefox and all the others.
package final class BusClient: Sendable {
    /// What came back.
    package struct Reply: Sendable {
        /// The error, without `org.freedesktop.DBus.Error.`; `nil` for a reply.
        package var error: String?
        package var value: BusValue?
        package var properties: [String: BusValue] = [:]
    }

    /// A signal of GeoClue's.
    package struct Signal: Sendable, Equatable {
        package var member: String
        package var path: String
        /// The paths of `LocationUpdated`, or the property that changed.
        package var value: BusValue?

        package init(member: String, path: String, value: BusValue? = nil) {
            (self.member, self.path, self.value) = (member, path, value)
        }
    }

    package let signals: AsyncStream<Signal>
    private let loop: any EventLoop
    private let levelAsked: AsyncStream<Void>
    private let asked: AsyncStream<Void>.Continuation
    /// The questions for an agent's level that wait for the test.
    private let levelQuestions: NIOLoopBoundBox<[HeldMessage]>
    private let bus: NIOLoopBound<BusConnection>
    private let poller: NIOLoopBound<DescriptorPoller>
    private let slots: NIOLoopBoundBox<[BusConnection.Slot]>
    /// What is called when the connection is closed, for those who still wait.
    private let waiting: NIOLoopBoundBox<[() -> Void]>

    package init(_ address: String) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (signals, continuation) = AsyncStream.makeStream(of: Signal.self)
        (levelAsked, asked) = AsyncStream.makeStream(of: Void.self)
        (bus, poller, slots, waiting, levelQuestions) = try await loop.submit {
            let poller = try DescriptorPoller(eventLoop: loop, name: "client")
            let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in
                continuation.finish()
            }
            let slot = try bus.handleSignals(matching: "type='signal',path_namespace='\(ObjectPath.root)'") {
                continuation.yield($0.signal)
            }
            return (
                NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(poller, eventLoop: loop),
                NIOLoopBoundBox.makeBoxSendingValue([slot], eventLoop: loop),
                NIOLoopBoundBox.makeBoxSendingValue([], eventLoop: loop),
                NIOLoopBoundBox.makeBoxSendingValue([], eventLoop: loop)
            )
        }.get()
        (self.loop, self.signals) = (loop, signals)
    }

    /// Calls a method and waits for what comes back.
    package func call(
        _ member: String, of interface: String, at path: String, _ arguments: [BusValue] = [],
        variant: BusValue? = nil, destination: String = Interface.busName
    ) async throws -> Reply {
        try await send(member, of: interface, at: path, arguments, variant: variant, destination: destination).get()
    }

    /// Sends a call. What comes back is that of calls in the order in which they were sent.
    package func send(
        _ member: String, of interface: String, at path: String, _ arguments: [BusValue] = [],
        variant: BusValue? = nil, destination: String = Interface.busName
    ) -> EventLoopFuture<Reply> {
        let promise = loop.makePromise(of: Reply.self)
        loop.execute { [self] in
            let slot = bus.value.call(
                member, of: interface, at: path, of: destination, timeout: .seconds(60)
            ) {
                for argument in arguments { $0.append(argument) }
                if let variant { $0.appendVariant(variant) }
            } handler: {
                promise.succeed($0.reply)
            }
            if let slot { slots.value.append(slot) } else { promise.succeed(Reply(error: "not sent")) }
            // Does nothing for what was answered.
            waiting.value.append { promise.succeed(Reply(error: "closed")) }
        }
        return promise.futureResult
    }

    package func close() async throws {
        try await loop.submit { [self] in
            (slots.value, levelQuestions.value) = ([], [])
            for end in waiting.value { end() }
            waiting.value = []
            bus.value.close()
            poller.value.stop()
        }.get()
    }

    /// Is an agent: answers what agents are asked. Without a level it answers when the test has it do so.
    package func serveAgent(
        level: @escaping @Sendable () -> UInt32?, isAllowed: @escaping @Sendable (String) -> Bool
    ) async throws {
        try await loop.submit { [self] in
            let bus = bus.value
            try bus.handleCalls(below: Interface.agentPath) { [self] call in
                if call.member == "AuthorizeApp" {
                    let application = if case .text(let text)? = call.read(BusType.string) { text } else { "" }
                    let answer = isAllowed(application)
                    bus.reply(to: call.pointer) {
                        $0.append(.boolean(answer))
                        $0.append(.number(answer ? 8 : 0))
                    }
                } else if let level = level() {
                    bus.reply(to: call.pointer) { $0.appendVariant(.number(level)) }
                } else {
                    levelQuestions.value.append(HeldMessage(call))
                    asked.yield()
                }
            }
        }.get()
    }

    /// Waits until the agent is asked for its level, which it does not answer.
    package func awaitLevelQuestion() async {
        var iterator = levelAsked.makeAsyncIterator()
        await iterator.next()
    }

    /// Answers the pending questions for the level, or refuses to.
    package func answerLevel(_ level: UInt32?) async throws {
        try await loop.submit { [self] in
            for call in levelQuestions.value {
                if let level {
                    bus.value.reply(to: call.pointer) { $0.appendVariant(.number(level)) }
                } else {
                    bus.value.fail(call.pointer, .unknownProperty("MaxAccuracyLevel"))
                }
            }
            levelQuestions.value = []
        }.get()
    }

    /// Tells the service that a setting of the agent's changed.
    package func setLevel(_ level: UInt32, to service: String = Interface.busName) async throws {
        try await loop.submit { [self] in
            bus.value.signal(
                "PropertiesChanged", of: Interface.properties.rawValue, at: Interface.agentPath, to: service
            ) {
                $0.append(.text(Interface.agent.rawValue))
                $0.append([("MaxAccuracyLevel", .number(level))])
                $0.appendArray(of: "s")
            }
        }.get()
    }

    /// Has the name, if nobody has it.
    package func own(_ name: String) async throws {
        let reply = try await call(
            "RequestName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", [.text(name), .number(0)],
            destination: "org.freedesktop.DBus")
        #expect(reply.value == .number(1))
    }
}

extension BusClient {
    private static let properties = "org.freedesktop.DBus.Properties"

    package func manager(_ member: String, _ arguments: [BusValue] = []) async throws -> Reply {
        try await call(member, of: Interface.manager.rawValue, at: ObjectPath.manager.text, arguments)
    }

    /// A client object, by its path.
    package func client(_ member: String = "GetClient") async throws -> String {
        let reply = try await manager(member)
        guard case .path(let path)? = reply.value else { throw Missing(description: "\(member): \(reply)") }
        return path
    }

    package struct Missing: Error {
        package var description: String

        package init(description: String) {
            self.description = description
        }
    }

    package func start(_ client: String) async throws -> Reply {
        try await call("Start", of: Interface.client.rawValue, at: client)
    }

    package func stop(_ client: String) async throws -> Reply {
        try await call("Stop", of: Interface.client.rawValue, at: client)
    }

    package func set(_ name: String, _ value: BusValue, of client: String) async throws -> Reply {
        try await call(
            "Set", of: Self.properties, at: client, [.text(Interface.client.rawValue), .text(name)], variant: value)
    }

    /// All properties of an object.
    package func properties(of path: String) async throws -> Reply {
        try await call("GetAll", of: Self.properties, at: path, [.text("")])
    }

    /// The latitude that a location says.
    package func latitude(of location: String) async throws -> Double {
        guard case .real(let latitude)? = try await properties(of: location).properties["Latitude"] else {
            throw Missing(description: "a latitude")
        }
        return latitude
    }
}

extension IncomingMessage {
    fileprivate var reply: BusClient.Reply {
        if let errorName {
            return .init(error: String(errorName.dropFirst("org.freedesktop.DBus.Error.".count)))
        }
        switch signature {
        case "a{sv}": return .init(properties: readProperties())
        case "v": return .init(value: readAny())
        case "": return .init()
        default: return .init(value: read(CChar(signature.utf8.first ?? 0)))
        }
    }

    fileprivate var signal: BusClient.Signal {
        var signal = BusClient.Signal(member: member, path: path)
        if member == "LocationUpdated" {
            _ = read(BusType.path)
            signal.value = read(BusType.path)
        } else if member == "PropertiesChanged" {
            _ = read(BusType.string)
            let changed = readProperties().first
            signal.member = changed?.key ?? ""
            signal.value = changed?.value
        }
        return signal
    }

    private func readProperties() -> [String: BusValue] {
        var properties: [String: BusValue] = [:]
        readEntries {
            properties[$0] = readAny()
            return true
        }
        return properties
    }

    private func readAny() -> BusValue? {
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(pointer, nil, &contents) > 0, let contents else { return nil }
        switch String(cString: contents) {
        case "d":
            return readVariant(of: "d") {
                var number = 0.0
                sd_bus_message_read_basic(pointer, BusType.real, &number)
                return .real(number)
            }
        case "(tt)":
            sd_bus_message_skip(pointer, "v")
            return nil
        default: return readVariant()
        }
    }
}
