import LocationCore
import GeoClue

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
    private let levels: DesktopLevels

    init(id: UInt32, levels: DesktopLevels) {
        self.id = id
        self.levels = levels
    }

    /// `Manager.InUse` for this user: whether a program is being given locations.
    var isInUse: Bool { activeClients > 0 }

    /// The agent that is asked.
    var agent: GeoClueAgent? { agents.first }

    /// The highest accuracy level that the desktop allows.
    var ceiling: UInt32 { levels[id] }

    /// True while an agent has not reported its level yet.
    var awaitsLevel: Bool { agents.contains { $0.level == .asked } }

    /// True if an agent did not report its level when it was asked.
    var lacksLevel: Bool { agents.contains { $0.level == .unknown } }

    /// Counts a client object that has become active or inactive, and updates the agents' indicators.
    func noteActive(_ isActive: Bool) {
        activeClients += isActive ? 1 : -1
        for agent in agents { agent.tell(isInUse: isInUse) }
    }

    /// The lowest level that its agents have reported; `nil` without any.
    var reportedLevel: UInt32? { agents.lazy.compactMap(\.knownLevel).min() }

    /// Applies the level that an agent has reported, or its failure to report one.
    func levelReported() {
        if let reportedLevel { _ = levels.set(reportedLevel, of: id) }
        levelsChanged()
    }

    /// Has all client objects review whether they may go on.
    func levelsChanged() {
        for client in clients.values { client.desktopLevelChanged() }
    }
}
