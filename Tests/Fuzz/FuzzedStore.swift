import LocationModel
import LocationStore
import NIOCore

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

    /// The store for one run, on its event loop. Runs are sequential.
    func decisions(on eventLoop: any EventLoop) async throws -> DecisionStore {
        uses += 1
        if uses % Self.lifetime == 0 {
            try await current?.shutdown()
            current = nil
        }
        var decisions = try current ?? open(on: eventLoop)
        decisions.eventLoop = eventLoop
        current = decisions
        return decisions
    }

    private func open(on eventLoop: any EventLoop) throws -> DecisionStore {
        DecisionStore(
            try LocationStore.open(directory: "\(Scratch.directory)/\(uses)", now: Self.time).store,
            eventLoop: eventLoop, now: { Self.time })
    }
}
