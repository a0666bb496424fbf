import Glibc
import LinuxPlumbing
package import LocationPolicy
package import NIOCore
import NIOEmbedded
import Testing

@testable import GPSDFrontEnd
@testable import LocationCore
@testable package import PeerIdentification

extension ClientDeclaration {
    /// The client whose program ``DaemonUnderTest/connectAtGPSDPort(as:identify:)`` connects.
    package static let mapAtGPSDPort: ClientDeclaration = {
        var map = ClientDeclaration.map
        map.match.executable = "/usr/bin/map"
        return map
    }()
}

extension DaemonUnderTest {
    /// A program, by default `/usr/bin/map`, at gpsd's port of a daemon whose clock the test turns.
    ///
    /// - Parameter identify: identifies it; `nil` for at once, as the program.
    package func connectAtGPSDPort(
        as executable: String = "/usr/bin/map",
        identify: (@Sendable () -> EventLoopFuture<PeerIdentifier.LoopbackPeer>)? = nil
    ) async throws -> InProcessPeer {
        let socket = LocalTCPSocket(userID: getuid(), inode: 1, cookie: 1, controlGroup: 1)
        let (frontEnd, loop) = try await onLoop { core in
            let loop = core.eventLoop
            let frontEnd = GPSDFrontEnd(
                core: core, identifier: PeerIdentifier(eventLoop: loop),
                identify: { _, _ in
                    identify?() ?? loop.makeCompletedFuture { try PeerIdentifier.LoopbackPeer.own(executable) }
                })
            core.add(frontEnd)
            return (frontEnd, loop as? NIOAsyncTestingEventLoop)
        }
        let channel = NIOAsyncTestingChannel(loop: try #require(loop))
        try await channel.eventLoop.submit { try frontEnd.open(channel, socket) { socket } }.get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        return InProcessPeer(channel: channel)
    }
}

extension PeerIdentifier.LoopbackPeer {
    /// This process, taken for a program of its user.
    package static func own(_ executable: String = "/usr/bin/map") throws -> Self {
        Self(
            identity: .example(executable, user: getuid()),
            processes: [try #require(WatchedProcess(processID: getpid()))])
    }
}
