import Pacing
import NIOCore

/// Schedules the turns of connections.
///
/// Peers are served one call at a time: those of one account take turns, and accounts take turns, so that one user's
/// thousands of connections delay another's by one call. Turns are taken in bounded time slices, between which the
/// event loop handles other events: deliveries do not wait until all calls are answered.
extension ServerCore {
    /// Queues a connection for its next turn.
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
