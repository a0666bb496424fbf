import LocationModel
import LocationPolicy
import SQLite
import TestSupport
import Testing

@testable import LocationStore

@Suite("Releases of reduced locations", .timeLimit(.minutes(10)))
struct ReducedReleaseTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func withStore<T>(_ body: (LocationStore) throws -> T) throws -> T { try body(directory.open().store) }
    private func time(_ seconds: Int) -> Timestamp { .example.advanced(by: .seconds(seconds)) }

    @Test("the newest release of each client survives reopening")
    func kept() throws {
        #expect(try withStore { try $0.reducedReleases() } == [:])
        try withStore {
            try $0.reserveReducedRelease(client: "org.example.Weather", at: time(900))
            try $0.reserveReducedRelease(client: "org.example.Maps", at: time(1))
            // The clock may have been set back.
            try $0.reserveReducedRelease(client: "org.example.Weather", at: time(2))
        }
        let releases = try withStore { try $0.reducedReleases() }
        #expect(releases == ["org.example.Weather": time(2), "org.example.Maps": time(1)])
    }

    @Test("a file of the first version is migrated and keeps its content")
    func migration() throws {
        let secret = AccuracyReduction.Secret(bytes: Array(1...16))
        try writeFirstVersion()
        try withStore {
            #expect(try $0.reducedReleases() == [:])
            #expect(try $0.decisions()[.weather]?.record == AuthorizationRecord(.denied))
            #expect(try $0.reductionSecret(for: "org.example.Weather") == secret)
            try $0.reserveReducedRelease(client: "org.example.Weather", at: time(0))
        }
        #expect(try withStore { try $0.reducedReleases() } == ["org.example.Weather": time(0)])
    }

    /// Writes a file of the first version.
    private func writeFirstVersion() throws {
        try directory.write([])
        let database = try SQLDatabase(path: directory.database)
        for statement in try #require(LocationStore.migrations.first) { try database.run(statement) }
        let decision: [SQLValue] = [
            .integer(1000), .text("org.example.Weather"), .text("denied"), .integer(0), .null, .integer(1000),
            .text("prompt"), .integer(Timestamp.example.nanosecondsSince1970),
        ]
        try database.run(
            "INSERT INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", decision + [decision.digest])
        try database.run(
            "INSERT INTO reduction VALUES (?, ?)", [.text("org.example.Weather"), .blob(Array(1...16))])
    }
}
