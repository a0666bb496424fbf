import FoundationEssentials
import Glibc
import NIOCore
import NIOEmbedded
import NIOPosix
import TestSupport
import Testing

@testable import Varlink

/// A raw client: bytes in, bytes out, no Varlink. Conversations are tested with both implementations.
protocol Peer {
    func send(_ bytes: ByteBuffer) async throws
    /// The next message without its NUL, or `nil` at the end of the connection.
    func receive() async throws -> String?
    func stopSending() async throws
    func close() async throws
}

/// A client without a socket.
struct InProcessPeer: Peer {
    let channel: NIOAsyncTestingChannel

    init(service: PingService, log: LogRecorder, limits: ServerLimits = .init()) async throws {
        channel = NIOAsyncTestingChannel()
        let core = try ServerCore(service: service, eventLoop: channel.eventLoop, limits: limits, logger: log.logger)
        let channel = channel
        try await channel.eventLoop.submit { try ConnectionHandler.install(on: channel, core: core) }.get()
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/in/process")).get()
    }

    func send(_ bytes: ByteBuffer) async throws { _ = try? await channel.writeInbound(bytes) }

    func receive() async throws -> String? {
        while true {
            await channel.testingEventLoop.run()
            let written: ByteBuffer? = try await channel.readOutbound(as: ByteBuffer.self)
            guard let written else { return nil }
            if written.readableBytes > 0 {
                return String(buffer: written.getSlice(at: 0, length: written.readableBytes - 1)!)
            }
        }
    }

    func stopSending() async throws {
        let channel = channel
        try await channel.eventLoop.submit {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }.get()
    }

    func close() async throws { _ = try? await channel.finish(acceptAlreadyClosed: true) }
}

/// A client over a real Unix socket, with blocking calls on a thread of their own.
final class SocketPeer: Peer, @unchecked Sendable {
    // Used by one test task at a time: each call is awaited before the next.
    private let descriptor: CInt
    private var received: [UInt8] = []
    private let threads: NIOThreadPool

    init(path: String) async throws {
        threads = NIOThreadPool.singleton
        let address = try UnixAddress(path)
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        let result = address.withSockaddr { connect(descriptor, $0, $1) }
        try #require(result == 0)
    }

    deinit { Glibc.close(descriptor) }

    func send(_ bytes: ByteBuffer) async throws {
        let descriptor = descriptor
        _ = try await threads.runIfActive {
            var rest = bytes.readableBytesView
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
    }

    func receive() async throws -> String? {
        try await threads.runIfActive {
            while true {
                if let end = self.received.firstIndex(of: 0) {
                    let message = String(decoding: self.received[..<end], as: UTF8.self)
                    self.received.removeFirst(end + 1)
                    return message
                }
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = recv(self.descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { return nil }
                self.received += chunk[..<count]
            }
        }
    }

    func stopSending() async throws { shutdown(descriptor, CInt(SHUT_WR)) }
    func close() async throws { shutdown(descriptor, CInt(SHUT_RDWR)) }
}

/// A listening server with a service and a directory of its own.
struct TestServer {
    let service: PingService
    let server: VarlinkServer
    let path: String
    let log: LogRecorder
    let eventLoop: any EventLoop

    static func run<Result>(
        refusal: VarlinkError? = nil, limits: ServerLimits = .init(), account: ByteAccount? = nil,
        isHesitant: Bool = false, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/socket"
        let service = try PingService(refusal: refusal, account: account, isHesitant: isHesitant)
        let log = LogRecorder()
        let eventLoop = ObservedLoops.next()
        let server = try await VarlinkServer.bind(
            service, to: .path(path, mode: 0o600), on: eventLoop, limits: limits, logger: log.logger)
        let test = TestServer(service: service, server: server, path: path, log: log, eventLoop: eventLoop)
        do {
            let result = try await body(test)
            await server.shutdown(within: .seconds(1))
            return result
        } catch {
            await server.shutdown(within: .seconds(1))
            throw error
        }
    }

    func onLoop<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async throws -> Result {
        try await eventLoop.submit(body).get()
    }
}

extension TestServer {
    /// Waits until the service has reported this event; earlier events are discarded.
    func wait(for event: PingService.Event) async throws {
        var events = service.events.makeAsyncIterator()
        _ = try await events.first("\(event)") { $0 == event }
    }

    /// Waits until `trigger` has brought the server into a state, in which it must not be before.
    func wait(
        for what: String, after trigger: () async throws -> Void, until isMet: @escaping @Sendable () -> Bool
    ) async throws {
        try await ObservedLoops.wait(for: what, on: eventLoop, after: trigger, until: isMet)
    }
}
