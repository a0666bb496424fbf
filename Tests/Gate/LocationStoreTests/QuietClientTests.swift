import LocationModel
import LocationPolicy
import TestSupport
import Testing

@testable import LocationStore
import SQLite

@Suite("The quiet lists", .timeLimit(.minutes(10))) struct QuietClientTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func withStore<T>(_ body: (LocationStore) throws -> T) throws -> T { try body(directory.open().store) }

    @Test("each user’s list survives reopening")
    func kept() throws {
        try withStore {
            #expect(try $0.quietClients() == [])
            try $0.setQuiet(true, .weather, by: 1000, at: .example)
            try $0.setQuiet(true, .weather, by: 1000, at: .example)
            try $0.setQuiet(true, .maps, by: 0, at: .example)
        }
        #expect(try withStore { try $0.quietClients() } == [.weather, .maps])
        try withStore { try $0.setQuiet(false, .maps, by: 1001, at: .example) }
        #expect(try withStore { try $0.quietClients() } == [.weather])
    }

    @Test("a row that was changed in the file makes no client quiet")
    func changed() throws {
        try withStore { try $0.setQuiet(true, .weather, by: 1000, at: .example) }
        try SQLDatabase(path: directory.database).run("UPDATE quiet_client SET client = 'org.example.Spy'")
        let (store, opening) = try directory.open()
        #expect(opening != .existing)
        #expect(try store.quietClients() == [])
    }
}
