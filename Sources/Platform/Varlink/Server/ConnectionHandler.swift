import NIOCore

/// Forwards the events of a channel to its ``ServerConnection``, and suppresses reads that would only fill memory.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let core: ServerCore
    private var connection: ServerConnection?

    init(core: ServerCore) {
        self.core = core
    }

    /// Installs the whole pipeline of a connection.
    static func install(on channel: any Channel, core: ServerCore) throws {
        try channel.pipeline.syncOperations.addHandler(ConnectionHandler(core: core))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { channelActive(context: context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // Break the cycle: the connection holds the context, which holds this handler.
        connection = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        guard connection == nil else { return }
        let connection = ServerConnection(context: context, core: core, limits: core.limits)
        self.connection = connection
        connection.start()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection?.machine.received(unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        connection?.readCompleted()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection?.writabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { connection?.inputClosed() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection?.disconnected()
        connection = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Mostly a connection reset by the peer. The channel closes itself, and no object needs to be notified.
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if let connection { connection.read() } else { context.read() }
    }
}
