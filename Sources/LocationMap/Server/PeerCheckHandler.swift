import Glibc
import Logging
import NIOCore

/// Closes a connection of another user's before anything of it is read.
///
/// The loopback is open to every user of the machine. Whoever is not the user that runs this program gets no byte, not even
/// one that says what listens here. Whose a connection is that the kernel does not tell is nobody's.
final class PeerCheckHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let owner: uid_t
    private let notices: Notices

    /// A gate for the connections of the user `owner`.
    init(owner: uid_t, notices: Notices) {
        self.owner = owner
        self.notices = notices
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let local = context.localAddress, let remote = context.remoteAddress,
            let peer = SocketOwner.ofPeer(local: local, remote: remote)
        else {
            notices.post(
                .warning, kind: "unknown", "Refused a connection to the map: the kernel does not say whose it is")
            return context.close(promise: nil)
        }
        guard peer == owner else {
            notices.post(.warning, kind: "peer", "Refused a connection to the map from user \(peer)")
            return context.close(promise: nil)
        }
        context.fireChannelActive()
    }
}
