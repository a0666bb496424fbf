import NIOCore
import NIOEmbedded
import TestSupport
import Testing
import VarlinkIDL

@testable import Varlink

@Suite("Turns of calls", .timeLimit(.minutes(10)))
struct TurnTests {
    private let loop = EmbeddedEventLoop()
    private let service: NamingService
    private let core: ServerCore

    init() throws {
        service = try NamingService()
        core = try ServerCore(service: service, eventLoop: loop, limits: ServerLimits(), logger: LogRecorder().logger)
    }

    /// Connects and sends calls, which have their turns when the loop runs.
    private func send(_ count: Int, as name: String, of user: String) throws {
        service.next = (name, user)
        let channel = EmbeddedChannel(loop: loop)
        try ConnectionHandler.install(on: channel, core: core)
        channel.pipeline.connect(to: try SocketAddress(unixDomainSocketPath: "/\(name)"), promise: nil)
        let call = #"{"method":"org.example.Name.Say"}"# + "\0"
        channel.pipeline.fireChannelRead(ByteBuffer(string: String(repeating: call, count: count)))
        channel.pipeline.fireChannelReadComplete()
    }

    @Test("a user's call waits for one call of another user's hundreds of connections")
    func users() throws {
        for _ in 0..<300 { try send(2, as: "one of many", of: "hostile") }
        try send(1, as: "another", of: "peaceful")
        #expect(service.called == [])
        loop.run()
        #expect(service.called.prefix(3) == ["one of many", "another", "one of many"])
        #expect(service.called.count == 601)
    }

    @Test("the connections of one user take turns, whatever the number of their calls")
    func connections() throws {
        try send(50, as: "a", of: "user")
        try send(50, as: "b", of: "user")
        loop.run()
        #expect(service.called == (0..<50).flatMap { _ in ["a", "b"] })
    }
}

/// Records which of its connections called. Confined to the loop of its test.
private final class NamingService: VarlinkService, @unchecked Sendable {
    let information = ServiceInformation(vendor: "Example", product: "Name", version: "1", url: "https://example.org")
    let interfaces: [InterfaceDescription]
    /// The name of the next connection, and its user.
    var next = (name: "", user: "")
    var called: [String] = []
    private var accounts: [String: ByteAccount] = [:]

    init() throws {
        interfaces = [try InterfaceDescription("interface org.example.Name\nmethod Say() -> ()")]
    }

    func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) {
        let account = accounts[next.user] ?? ByteAccount(limit: 1_000_000)
        accounts[next.user] = account
        connection.charge(account)
        completion(.success(NamedSession(name: next.name, service: self)))
    }
}

private final class NamedSession: VarlinkSession {
    private let name: String
    private let service: NamingService

    init(name: String, service: NamingService) {
        self.name = name
        self.service = service
    }

    func receive(_ call: ServerCall) {
        service.called.append(name)
        call.reply()
    }

    func disconnected() {}
}
