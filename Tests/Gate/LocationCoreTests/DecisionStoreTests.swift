import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LocationCore

@Suite("The store of decisions", .timeLimit(.minutes(10)))
struct DecisionStoreTests {
    private func keeper(in directory: TemporaryDirectory) throws -> DecisionStore {
        DecisionStore(
            try LocationStore.open(directory: directory.path, now: .now()).store,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(), now: { .now() })
    }

    /// Saves so much at once that most of it has not begun when the keeper ends.
    private func saveAndShutDown(_ keys: [ClientKey], in directory: TemporaryDirectory) async throws {
        let decisions = try keeper(in: directory)
        let origin = DecisionOrigin(userID: 0, manner: .command, timestamp: .now())
        var record = AuthorizationRecord()
        record.grant = .denied
        let saved = keys.map { decisions.save(record, for: $0, origin: origin) }
        try await decisions.shutdown()
        for save in saved { _ = try await save.get() }
    }

    @Test("what was saved before its end is on the disk")
    func shutdown() async throws {
        let directory = try TemporaryDirectory()
        let keys = (0..<30).map { ClientKey(userID: 1000, client: "org.example.App\($0)") }
        try await saveAndShutDown(keys, in: directory)
        let again = try keeper(in: directory)
        let kept = try await again.read(historyDays: 30)
        try await again.shutdown()
        #expect(Set(kept.records.keys) == Set(keys))
    }

    private func reserveAndShutDown(
        _ client: String, at time: Timestamp, in directory: TemporaryDirectory
    ) async throws {
        let decisions = try keeper(in: directory)
        try await decisions.reserveReducedRelease(client: client, at: time).get()
        try await decisions.shutdown()
    }

    @Test("the time of the last reduced location is known after a restart")
    func reducedReleases() async throws {
        let directory = try TemporaryDirectory()
        let time = Timestamp.now()
        try await reserveAndShutDown("org.example.App", at: time, in: directory)
        let again = try keeper(in: directory)
        #expect(try await again.read(historyDays: 30).reducedReleases == ["org.example.App": time])
        try await again.shutdown()
    }
}
