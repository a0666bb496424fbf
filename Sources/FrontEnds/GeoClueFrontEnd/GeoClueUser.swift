import LocationCore
import LocationPolicy

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
    private let core: Core

    init(id: UInt32, core: Core) { (self.id, self.core) = (id, core) }

    /// `Manager.InUse` for this user: whether a program is being given locations.
    var isInUse: Bool { activeClients > 0 }

    /// The agent that is asked.
    var agent: GeoClueAgent? { agents.first }

    /// True while an agent has not reported its level yet.
    var awaitsLevel: Bool { agents.contains { $0.level == .asked } }

    /// True if an agent did not report its level when it was asked.
    var lacksLevel: Bool { agents.contains { $0.level == .unknown } }

    /// Counts a client object that has become active or inactive, and updates the agents' indicators.
    func noteActive(_ isActive: Bool) {
        activeClients += isActive ? 1 : -1
        for agent in agents { agent.send(isInUse: isInUse) }
    }

    /// The lowest level that its agents have reported; `nil` without any.
    var reportedLevel: UInt32? { agents.lazy.compactMap(\.knownLevel).min() }

    /// Applies the level that an agent has reported, or its failure to report one.
    func levelReported() {
        if let reportedLevel { core.reportDesktop(DesktopLimit(reportedLevel), of: id) }
        levelsChanged()
    }

    /// Continues the starts of client objects that wait for a level.
    func levelsChanged() {
        for client in clients.values { client.levelsChanged() }
    }
}

extension DesktopLimit {
    /// The limit of a level that an agent reports; `nil` if it does not limit.
    fileprivate init?(_ level: UInt32) {
        if level == AccuracyLevel.none {
            self = .off
        } else if AccuracyLevel.isRough(level) {
            self = .reduced
        } else {
            return nil
        }
    }
}
