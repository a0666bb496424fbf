import FairQueue
import NIOCore

/// When connections have their turns.
///
/// Peers are served one call at a time: those of one account take turns among each other, and accounts take turns, so that
/// one user's thousands of connections delay another's by one call. What is done at once is bounded in time, and then the
/// event loop looks at what else has happened: deliveries do not wait for all calls to be answered.
extension ServerCore {
    /// Gives a connection a turn as soon as that is fair.
    func queue(_ connection: ServerConnection) {
        turns.append(
            connection, of: connection.share.map { ObjectIdentifier($0.account) } ?? ObjectIdentifier(connection))
        guard !areTurnsScheduled else { return }
        areTurnsScheduled = true
        eventLoop.execute { self.takeTurns() }
    }

    private func takeTurns() {
        let slice = LoopSlice(on: eventLoop)
        while let connection = turns.popFirst() {
            connection.takeTurn()
            guard turns.isEmpty || !slice.isOver else { return slice.resumeLater { self.takeTurns() } }
        }
        areTurnsScheduled = false
    }
}
