import Glibc
package import LinuxPlumbing
package import LocationPolicy
package import NIOCore

// Peers that connect by TCP within this machine.

extension PeerIdentifier {
    /// The identity that all holders of a connection share, and the processes.
    package struct LoopbackPeer {
        package let identity: PeerIdentity
        /// The processes that hold the connection, at least one. `identity` names the first.
        package let processes: [WatchedProcess]
    }

    /// Identifies the peer of a connection within this machine, whose socket a `TCPSocketTable` has found. Call it on the event
    /// loop.
    ///
    /// The user and the control group are those of the process that created the socket. The program is that of the processes
    /// in the same control group that hold it now, which must be all alike: with a child that has become another program,
    /// it is unknown which of them reads. Not detected: a descriptor that is in flight in another socket meanwhile, or that is
    /// passed on later.
    ///
    /// - Parameter socket: finds the peer's socket again, at the end: it must be the same one, still connected.
    package func identify(
        _ socket: LocalTCPSocket, confirm: @escaping () throws -> LocalTCPSocket
    ) -> EventLoopFuture<LoopbackPeer> {
        let confirmation = NIOLoopBound(confirm, eventLoop: eventLoop)
        return holders.holders(of: socket).flatMap { [self] holders in
            EventLoopFuture.whenAllSucceed(holders.map { identify($0, of: socket) }, on: eventLoop)
                .flatMapThrowing { identities in
                    guard try confirmation.value() == socket, holders.allSatisfy(\.isCurrent),
                        var first = identities.first
                    else { throw Failure(description: "it was passed on") }
                    for identity in identities {
                        first.processID = identity.processID
                        guard first == identity else {
                            throw Failure(description: "several programs hold it: \(Self.summary(of: identities))")
                        }
                    }
                    first.processID = identities[0].processID
                    return LoopbackPeer(identity: first, processes: holders.map(\.process))
                }
        }
    }

    /// Identifies one process. The executable is looked up wherever it is, since users are asked about undeclared programs,
    /// too.
    private func identify(_ holder: HolderLookups.Holder, of socket: LocalTCPSocket) -> EventLoopFuture<PeerIdentity> {
        let processID = holder.process.processID
        var status = stat()
        guard stat("/proc/\(processID)", &status) == 0 else {
            return eventLoop.makeFailedFuture(Failure(description: "process \(processID) has exited"))
        }
        guard status.st_uid == socket.userID else {
            return eventLoop.makeFailedFuture(
                Failure(
                    description: "process \(processID) is of user \(status.st_uid), and the connection of user "
                        + "\(socket.userID)"))
        }
        var peer = PeerIdentity(userID: socket.userID, processID: processID)
        do {
            // TCP within the machine passes no label. Without it a declaration that names one would not match, and a restricted
            // program would be an undeclared one.
            peer.securityLabel = try SecurityLabel.read(of: processID)
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        return complete(peer, holder.process, looksUpAll: true)
            .map(\.0)
    }

    private static func summary(of identities: [PeerIdentity]) -> String {
        identities.prefix(4).map { "process \($0.processID)" + ($0.executable.map { " (\($0))" } ?? "") }
            .joined(separator: ", ")
    }
}
