import LocationModel
import LocationStore

@testable import LocationCore
@testable import PeerIdentification

/// The store of the fuzzed daemons. They start without stored state, so they can share one; it is recreated now and
/// then, so that history does not grow without end.
actor FuzzedStore {
    static let shared = FuzzedStore()

    private static let lifetime = 1000
    private static let time = Timestamp(nanosecondsSince1970: 1_795_000_000_000_000_000)
    private var current: DecisionStore?
    private var uses = 0

    /// The store for one run. Runs are sequential.
    func decisions() async throws -> DecisionStore {
        uses += 1
        if let current, uses % Self.lifetime != 0 { return current }
        try await current?.shutdown()
        let decisions = try open()
        current = decisions
        return decisions
    }

    private func open() throws -> DecisionStore {
        DecisionStore(
            try LocationStore.open(directory: "\(Scratch.directory)/\(uses)", now: Self.time).store, now: { Self.time })
    }
}
