import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Varlink

/// Connections that the server ends with an error, which their peers may still read.
@Suite("Lingering connections", .timeLimit(.minutes(10))) struct LingeringTests {
    @Test("64 connections wait for their peers to read an error, the 65th closes at once, and later ones wait again")
    func limit() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let core = try ServerCore(
            service: PingService(), eventLoop: loop, limits: ServerLimits(), logger: LogRecorder().logger)
        func endWithError() async throws -> NIOAsyncTestingChannel {
            let channel = NIOAsyncTestingChannel(loop: loop)
            try await loop.submit {
                try channel.pipeline.syncOperations.addHandler(HalfClosing())
                try ConnectionHandler.install(on: channel, core: core)
            }.get()
            try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/in/process")).get()
            _ = try? await channel.writeInbound(ByteBuffer(string: "no JSON\0"))
            await loop.run()
            return channel
        }
        var lingering: [NIOAsyncTestingChannel] = []
        for _ in 1...64 { lingering.append(try await endWithError()) }
        #expect(lingering.allSatisfy { $0.isActive })
        #expect(try await !endWithError().isActive)
        await loop.advanceTime(by: ServerLimits().lingerTime)
        #expect(lingering.allSatisfy { !$0.isActive })
        #expect(try await endWithError().isActive)
    }
}

/// Stays open when only its output is closed, as a socket does.
private final class HalfClosing: ChannelOutboundHandler {
    typealias OutboundIn = Never

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
}
