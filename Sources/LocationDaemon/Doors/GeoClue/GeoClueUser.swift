/// The programs of one user that use GeoClue, and the user's agents on the bus.
///
/// Confined to the event loop.
final class GeoClueUser {
    let id: UInt32
    /// The number of connections to the bus.
    var peers = 0
    /// The client objects, by number.
    var clients: [UInt64: GeoClueClient] = [:]
    /// The number of active client objects.
    private(set) var activeClients = 0
    /// The agents, the oldest first.
    var agents: [GeoClueAgent] = []

    init(id: UInt32) { self.id = id }

    /// `Manager.InUse` for this user: whether a program is being given locations.
    var isInUse: Bool { activeClients > 0 }

    /// The agent that is asked.
    var agent: GeoClueAgent? { agents.first }

    /// The lowest `MaxAccuracyLevel` of the agents; `nil` if none has one.
    var ceiling: UInt32? { agents.lazy.compactMap(\.ceiling).min() }

    /// Counts a client object that has become active or inactive, and updates the agents' indicators.
    func noteActive(_ isActive: Bool) {
        activeClients += isActive ? 1 : -1
        for agent in agents { agent.tell(isInUse: isInUse) }
    }

    /// Applies a new ceiling to all client objects.
    func ceilingChanged() {
        for client in clients.values { client.ceilingChanged() }
    }
}
