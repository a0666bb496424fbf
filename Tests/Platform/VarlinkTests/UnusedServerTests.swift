import Glibc
import NIOCore
import NIOEmbedded
import NIOPosix
import TestSupport
import Testing

@testable import Varlink

/// A server that stops when it is unused, on a socket that another process also holds.
@Suite("An unused server", .timeLimit(.minutes(10)))
struct UnusedServerTests {
    private let loop = ObservedLoops.next()

    @Test("leaves new clients to its successor")
    func succession() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/socket"
        let (file, descriptor) = try SocketFile.bind(path: path, mode: 0o600)
        defer {
            file.remove()
            close(descriptor)
        }
        #expect(listen(descriptor, 8) == 0)
        let first = try await server(on: descriptor)
        let client = try await VarlinkClient.connect(to: path)
        try await ping(client)
        #expect(try await !end(first), "somebody is connected")
        try await ping(client)
        await client.close()
        try await ObservedLoops.ensure("the end of an unused server", on: loop) { first.shutdownIfUnused() }
        try await first.run()

        let early = try await VarlinkClient.connect(to: path)
        async let answer: Void = ping(early)
        let second = try await server(on: descriptor)
        try await answer
        await early.close()
        await second.shutdown()
    }

    @Test("counts a connection that is accepted but not yet opened")
    func accepted() async throws {
        let channel = NIOAsyncTestingChannel()
        let loop = channel.testingEventLoop
        let core = try ServerCore(
            service: PingService(), eventLoop: loop, limits: ServerLimits(), logger: LogRecorder().logger)
        #expect(core.isUnused)
        try await loop.submit { core.accepted(channel) }.get()
        #expect(!core.isUnused)
        try await channel.close()
        await loop.run()
        #expect(core.isUnused)
    }

    private func server(on descriptor: CInt) async throws -> VarlinkServer {
        try await VarlinkServer.bind(
            PingService(), to: .descriptor(dup(descriptor)), on: loop, logger: LogRecorder().logger)
    }

    private func ping(_ client: VarlinkClient) async throws {
        let pong = try await client.call("org.example.Ping.Ping", Ping(ping: "x"), returning: Pong.self)
        #expect(pong.pong == "x")
    }

    private func end(_ server: VarlinkServer) async throws -> Bool {
        try await loop.submit { server.shutdownIfUnused() }.get()
    }
}
