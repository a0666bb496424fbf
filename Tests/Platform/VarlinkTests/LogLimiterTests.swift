import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Varlink

/// Any peer can cause log lines by having its connection closed.
@Suite(.timeLimit(.minutes(10))) struct LogLimiterTests {
    @Test("lines above the limit are omitted and counted")
    func closings() async throws {
        let (loop, log, service) = (NIOAsyncTestingEventLoop(), LogRecorder(), try PingService())
        let core = try ServerCore(service: service, eventLoop: loop, limits: .init(), logger: log.logger)
        func close(_ count: Int) async throws {
            for _ in 0..<count {
                let channel = NIOAsyncTestingChannel(loop: loop)
                try await loop.submit { try ConnectionHandler.install(on: channel, core: core) }.get()
                try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/in/process")).get()
                _ = try? await channel.writeInbound(ByteBuffer(string: "x\0"))
                try? await channel.close()
            }
        }
        // The clock stands still.
        try await close(300)
        #expect(log.lines.count == LogLimiter.burst)
        await loop.advanceTime(by: .seconds(1))
        try await close(300)
        #expect(log.lines.count == LogLimiter.burst + 11)
        #expect(log.lines[LogLimiter.burst] == "Left out 200 lines about connections like the next.")
        #expect(log.lines.last?.contains("it sent a message that is not a call") == true)
    }
}
