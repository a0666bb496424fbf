import NIOCore

/// Hands the events of a channel to its ``ServerConnection``, and keeps from reading what would have to wait anyway.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let core: ServerCore
    private var connection: ServerConnection?

    init(core: ServerCore) {
        self.core = core
    }

    /// The whole pipeline of a connection.
    static func install(on channel: any Channel, core: ServerCore) throws {
        try channel.pipeline.syncOperations.addHandler(ConnectionHandler(core: core))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { channelActive(context: context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // The connection holds the context, which holds this handler.
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
        // A connection reset by the peer and the like. The channel closes itself; there is nobody left to tell.
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if let connection { connection.read() } else { context.read() }
    }
}
