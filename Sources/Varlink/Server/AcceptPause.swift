import Logging
import NIOCore

/// Stops accepting for a moment when the process or the machine is out of descriptors or memory.
///
/// The connection that could not be accepted stays in the kernel's queue, so the socket stays readable and would be tried
/// again without end. `AcceptBackoffHandler` does not help: it holds back the next read, while the failed one is still
/// pending and keeps the socket registered. Turning automatic reading off takes it out of the selector.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private static let time = TimeAmount.milliseconds(100)

    private let logger: Logger
    /// Said once, until accepting works again.
    private var isLogged = false

    init(logger: Logger) {
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isLogged = false
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        if !isLogged { logger.error("Cannot accept connections: \(error)") }
        isLogged = true
        let channel = context.channel
        setReading(false, on: channel)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.time) { self.setReading(true, on: channel) }
    }

    private func setReading(_ reading: Bool, on channel: any Channel) {
        // Fails only on a channel that is closed, which reads no more in any case.
        try? channel.syncOptions?.setOption(.autoRead, value: reading)
    }
}
