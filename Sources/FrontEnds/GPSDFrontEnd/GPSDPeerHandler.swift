import NIOCore

/// Forwards the events of a channel to its ``GPSDPeer``, and holds back reads while the peer has commands to be answered, or
/// answers to read.
final class GPSDPeerHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let peer: GPSDPeer
    /// True if a read was held back.
    private var isReadHeld = false

    init(_ peer: GPSDPeer) { self.peer = peer }

    func channelActive(context: ChannelHandlerContext) {
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        peer.resumeReading = { [unowned self] in
            guard isReadHeld else { return }
            isReadHeld = false
            context.value.read()
        }
        peer.open()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        peer.receive(unwrapInboundIn(data))
    }

    func read(context: ChannelHandlerContext) {
        if peer.mayRead { context.read() } else { isReadHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { peer.writabilityChanged() }

    func channelInactive(context: ChannelHandlerContext) { peer.disconnected() }

    func handlerRemoved(context: ChannelHandlerContext) { peer.disconnected() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Mostly a connection reset by the peer.
        context.close(promise: nil)
    }
}
