import Glibc
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Varlink

@Suite(.timeLimit(.minutes(10))) struct AcceptPauseTests {
    @Test("accepting resumes after a pause")
    func acceptingResumesAfterPause() throws {
        let log = LogRecorder()
        let core = try ServerCore(
            service: PingService(), eventLoop: EmbeddedEventLoop(), limits: ServerLimits(), logger: log.logger)
        let channel = EmbeddedChannel(
            handler: AcceptPause(logger: core.logger, note: core.log, user: AcceptPause.userOfUnixPeer(of:)))
        for _ in 0..<2 {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
            #expect(channel.options.last?.1 as? Bool == false)
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
            #expect(channel.options.last?.1 as? Bool == true)
        }
        #expect(log.lines.count == 1)
        _ = try channel.finish()
    }
}
