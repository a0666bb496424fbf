import NIOCore
import TestSupport
import Testing

@testable import LinuxPlumbing

@Suite(.timeLimit(.minutes(10)), .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct SystemBusTests {
    private static let name = "org.example.Service"
    private static let interface = "org.example.Interface"
    private static let path = "/org/example"

    /// A service on the bus, with a connection of its own.
    private struct Server: Sendable {
        let loop: any EventLoop
        private let bus: NIOLoopBound<BusConnection>
        private let poller: NIOLoopBound<DescriptorPoller>

        init(_ address: String, ownsName: Bool = true) async throws {
            let loop = ObservedLoops.next()
            let named = loop.makePromise(of: Void.self)
            (bus, poller) = try await loop.submit {
                let poller = try DescriptorPoller(eventLoop: loop, name: "server")
                let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in }
                try bus.handleCalls(below: SystemBusTests.path) { Self.answer($0, on: bus) }
                if ownsName {
                    try bus.requestName(SystemBusTests.name) { _ in named.succeed() }
                } else {
                    named.succeed()
                }
                return (NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(poller, eventLoop: loop))
            }.get()
            self.loop = loop
            try await named.futureResult.get()
        }

        private static func answer(_ call: IncomingMessage, on bus: BusConnection) {
            switch call.member {
            case "GetAll": bus.reply(to: call.pointer) { appendProperties(&$0) }
            case "Deep":
                bus.reply(to: call.pointer) { message in
                    func nest(_ message: inout OutgoingMessage, _ depth: Int) {
                        let inner = depth == 0 ? "u" : "v"
                        message.appendVariant(of: inner) {
                            if depth == 0 { $0.append(UInt32(1)) } else { nest(&$0, depth - 1) }
                        }
                    }
                    nest(&message, 30)
                }
            case "Large":
                bus.reply(to: call.pointer) { message in
                    message.appendArray(of: "u") { for number in 0..<UInt32(50_000) { $0.append(number) } }
                }
            case "Refuse": bus.fail(call.pointer, name: "org.example.Refused", message: "Not today.")
            default: break
            }
        }

        private static func appendProperties(_ message: inout OutgoingMessage) {
            message.appendArray(of: "{sv}") {
                $0.appendEntry("Enabled", of: "u") { $0.append(UInt32(5)) }
                $0.appendEntry("LastScan", of: "x") { $0.append(Int64(-1)) }
                $0.appendEntry("Signals", of: "b") { $0.append(true) }
                $0.appendEntry("Heading", of: "d") { $0.append(123.5) }
                $0.appendEntry("Ssid", of: "ay") {
                    $0.appendArray(of: "y") { for byte in 0...2 { $0.append(UInt8(byte)) } }
                }
                $0.appendEntry("Nothing", of: "ay") { $0.appendArray(of: "y") }
                $0.appendEntry("Pair", of: "(uo)") {
                    $0.appendStructure(of: "uo") {
                        $0.append(UInt32(7))
                        $0.append(path: "/a/b")
                    }
                }
                $0.appendEntry("Location", of: "a{uv}") {
                    $0.appendArray(of: "{uv}") {
                        $0.appendEntry(of: "uv") {
                            $0.append(UInt32(4))
                            $0.appendVariant(of: "s") { $0.append("$GPRMC") }
                        }
                    }
                }
                $0.appendEntry("Objects", of: "a{oa{sa{sv}}}") {
                    $0.appendArray(of: "{oa{sa{sv}}}") {
                        $0.appendEntry(of: "oa{sa{sv}}") {
                            $0.append(path: "/modem/0")
                            $0.appendArray(of: "{sa{sv}}") {
                                $0.appendEntry(of: "sa{sv}") {
                                    $0.append("org.example.Modem")
                                    $0.appendArray(of: "{sv}") {
                                        $0.appendEntry("State", of: "i") { $0.append(Int32(-3)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }

        /// Sends a signal to one peer alone.
        func signal(_ text: String, to peer: String) async throws {
            try await loop.submit { [bus] in
                bus.value.signal("Changed", of: SystemBusTests.interface, at: "\(SystemBusTests.path)/1", to: peer) {
                    $0.append(text)
                }
            }.get()
        }

        func close() async throws {
            try await loop.submit { [bus, poller] in
                bus.value.close()
                poller.value.stop()
            }.get()
        }
    }

    /// What a service on a shared bus reports.
    private enum Event: Hashable, Sendable {
        case state(String)
        case answer([BusArgument])
        case failure(BusFailure)
        case signal(String, [BusArgument])
    }

    /// A shared bus, a service as its client sees it, and what it reports.
    private struct Client: Sendable {
        let loop = ObservedLoops.next()
        let bus: SystemBus
        let service: NIOLoopBoundBox<BusService>
        private let continuation: AsyncStream<Event>.Continuation
        private let events: AsyncStream<Event>

        init(_ address: String) async throws {
            (events, continuation) = AsyncStream.makeStream()
            let bus = SystemBus(at: .address(address), eventLoop: loop)
            self.bus = bus
            service = try await loop.submit { [loop] in
                NIOLoopBoundBox(BusService(SystemBusTests.name, on: bus), eventLoop: loop)
            }.get()
        }

        func open() async throws {
            try await loop.submit { [self] in
                service.value.open { [self] state in
                    switch state {
                    case .running:
                        service.value.handleSignals(
                            "Changed", of: SystemBusTests.interface, below: SystemBusTests.path
                        ) { [continuation] in continuation.yield(.signal($0, $1)) }
                        continuation.yield(.state("running"))
                    case .absent: continuation.yield(.state("absent"))
                    case .withoutBus: continuation.yield(.state("without bus"))
                    case .unknown: continuation.yield(.state("unknown"))
                    }
                }
            }.get()
        }

        func call(_ member: String, timeout: Duration = .seconds(60)) async throws -> Event {
            try await loop.submit { [self] in
                service.value.call(member, of: SystemBusTests.interface, at: SystemBusTests.path, timeout: timeout) {
                    [continuation] in
                    switch $0 {
                    case .success(let values): continuation.yield(.answer(values))
                    case .failure(let failure): continuation.yield(.failure(failure))
                    }
                }
            }.get()
            return try await next("the answer to \(member)")
        }

        func next(_ what: String) async throws -> Event {
            var iterator = events.makeAsyncIterator()
            return try await iterator.first(what) { _ in true }
        }

        func close() async throws {
            try await loop.submit { [self] in service.value.close() }.get()
        }
    }

    @Test("values of all types are read, with the values of variants in their places")
    func values() async throws {
        let bus = try await BusUnderTest.start()
        let server = try await Server(bus.address)
        let client = try await Client(bus.address)
        try await client.open()
        #expect(try await client.next("the service") == .state("running"))
        guard case .answer(let values) = try await client.call("GetAll") else {
            Issue.record("no answer")
            return
        }
        let properties = try #require(values.first)
        #expect(properties["Enabled"]?.integer == 5)
        #expect(properties["LastScan"]?.integer == -1)
        #expect(properties["Signals"]?.isTrue == true)
        #expect(properties["Heading"]?.real == 123.5)
        #expect(properties["Ssid"]?.bytes == [0, 1, 2])
        #expect(properties["Nothing"]?.bytes == [])
        #expect(properties["Pair"]?.list == [.unsigned(7), .text("/a/b")])
        #expect(properties["Location"]?[4]?.text == "$GPRMC")
        #expect(properties["Objects"]?["/modem/0"]?["org.example.Modem"]?["State"]?.integer == -3)
        #expect(properties["Unknown"] == nil)
        try await client.close()
        try await server.close()
    }

    @Test("a body that nests too deeply or is too large is refused", arguments: ["Deep", "Large"])
    func bounds(member: String) async throws {
        let bus = try await BusUnderTest.start()
        let server = try await Server(bus.address)
        let client = try await Client(bus.address)
        try await client.open()
        #expect(try await client.next("the service") == .state("running"))
        #expect(
            try await client.call(member)
                == .failure(
                    BusFailure(name: "org.freedesktop.DBus.Error.LimitsExceeded", text: "The answer is too large.")))
        try await client.close()
        try await server.close()
    }

    @Test("a call is answered with the service's error, or with one after its timeout")
    func errors() async throws {
        let bus = try await BusUnderTest.start()
        let server = try await Server(bus.address)
        let client = try await Client(bus.address)
        try await client.open()
        #expect(try await client.next("the service") == .state("running"))
        #expect(
            try await client.call("Refuse") == .failure(BusFailure(name: "org.example.Refused", text: "Not today.")))
        guard case .failure(let failure) = try await client.call("Ignore", timeout: .milliseconds(1)) else {
            Issue.record("answered")
            return
        }
        #expect(failure.text == "Method call timed out")
        try await client.close()
        try await server.close()
    }

    @Test("a service is reported as it starts and ends, and so is the bus as it ends and returns")
    func following() async throws {
        let bus = try await BusUnderTest.start()
        let client = try await Client(bus.address)
        try await client.open()
        #expect(try await client.next("the absence") == .state("absent"))
        let server = try await Server(bus.address)
        #expect(try await client.next("the start") == .state("running"))
        try await server.close()
        #expect(try await client.next("the end") == .state("absent"))
        try await bus.stop()
        #expect(try await client.next("the loss") == .state("without bus"))
        let next = try await bus.restart()
        #expect(try await client.next("the return") == .state("absent"))
        try await client.close()
        try await next.stop()
    }

    @Test("only signals of the service itself are received")
    func signals() async throws {
        let bus = try await BusUnderTest.start()
        let server = try await Server(bus.address)
        let impostor = try await Server(bus.address, ownsName: false)
        let client = try await Client(bus.address)
        try await client.open()
        #expect(try await client.next("the service") == .state("running"))
        let names = AsyncStream.makeStream(of: String?.self)
        let use = try await client.loop.submit {
            NIOLoopBound(client.bus.use { names.continuation.yield($0?.uniqueName) }, eventLoop: client.loop)
        }.get()
        var iterator = names.stream.makeAsyncIterator()
        let name = try #require(try await iterator.first("the name of the connection") { _ in true })
        // The bus carries what the impostor sends to this connection alone.
        try await impostor.signal("forged", to: name)
        try await server.signal("told", to: name)
        #expect(try await client.next("the signal") == .signal("\(Self.path)/1", [.text("told")]))
        try await client.loop.submit { client.bus.end(use.value) }.get()
        try await client.close()
        try await impostor.close()
        try await server.close()
    }

    @Test("the parts of a program share one connection, which ends with the last use")
    func sharing() async throws {
        let bus = try await BusUnderTest.start()
        let loop = ObservedLoops.next()
        let shared = SystemBus(at: .address(bus.address), eventLoop: loop)
        let names = AsyncStream.makeStream(of: String?.self)
        var iterator = names.stream.makeAsyncIterator()
        let begin: @Sendable () -> NIOLoopBound<SystemBus.Use> = {
            NIOLoopBound(shared.use { names.continuation.yield($0?.uniqueName) }, eventLoop: loop)
        }
        let first = try await loop.submit(begin).get()
        let name = try #require(try await iterator.first("the first connection") { _ in true })
        let second = try await loop.submit(begin).get()
        #expect(try await iterator.first("the same connection") { _ in true } == name)
        try await loop.submit {
            shared.end(first.value)
            shared.end(second.value)
        }.get()
        let third = try await loop.submit(begin).get()
        #expect(try #require(try await iterator.first("another connection") { _ in true }) != name)
        try await loop.submit { shared.end(third.value) }.get()
    }

    @Test("a missing bus is reported once, with the reason")
    func missingBus() async throws {
        let directory = try TemporaryDirectory()
        let client = try await Client("unix:path=\(directory.path)/none")
        try await client.open()
        #expect(try await client.next("the report") == .state("without bus"))
        let problem = try await client.loop.submit { client.service.value.busProblem }.get()
        #expect(problem == "opening the bus: No such file or directory")
        try await client.close()
    }
}
