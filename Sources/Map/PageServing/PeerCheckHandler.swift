import Glibc
import Logging
import NIOCore

/// Closes a connection of another user before any of it is read.
///
/// The loopback interface is open to every user of the machine. A peer of another user, or of an unknown one, receives
/// no byte, not even one that identifies the server.
final class PeerCheckHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let owner: uid_t
    private let notices: Notices

    /// Creates a handler that admits connections of the user `owner`.
    init(owner: uid_t, notices: Notices) {
        self.owner = owner
        self.notices = notices
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let local = context.localAddress, let remote = context.remoteAddress,
            let peer = SocketOwner.ofPeer(local: local, remote: remote)
        else {
            notices.post(
                .warning, kind: "unknown", "Refused a connection: the kernel does not say whose it is")
            return context.close(promise: nil)
        }
        guard peer == owner else {
            notices.post(.warning, kind: "peer", "Refused a connection from user \(peer)")
            return context.close(promise: nil)
        }
        context.fireChannelActive()
    }
}
