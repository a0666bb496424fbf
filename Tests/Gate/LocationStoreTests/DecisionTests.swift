import LocationModel
import LocationPolicy
import LocationStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DecisionTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs `body` with the store in the directory and closes it.
    func withStore<T>(_ body: (LocationStore) throws -> T) throws -> T { try body(directory.open().store) }

    @Test(
        "a decision survives reopening", arguments: AuthorizationRecord.Grant.allCases,
        [nil, AccuracyAuthorization.full, .reduced])
    func decisionsAreFoundAgain(grant: AuthorizationRecord.Grant, accuracy: AccuracyAuthorization?) throws {
        let record = AuthorizationRecord(grant, hasUsedUpgradePrompt: grant == .always, accuracy: accuracy)
        try withStore {
            #expect(try $0.decisions().isEmpty)
            try $0.save(record, for: .weather, origin: .user)
        }
        let decisions = try withStore { try $0.decisions() }
        #expect(decisions.count == 1)
        #expect(decisions[.weather]?.record == record)
        #expect(decisions[.weather]?.origin == .user)
    }

    @Test(
        "the end of a decision survives reopening, and goes with its decision",
        arguments: [nil, .denied, .whenInUse] as [AuthorizationRecord.Grant?])
    func endings(next: AuthorizationRecord.Grant?) throws {
        var record = AuthorizationRecord(.always)
        record.ending = .init(time: Timestamp(secondsSince1970: 1_800_000_000), next: next)
        try withStore {
            try $0.save(.init(.always), for: .maps, origin: .user)
            try $0.save(record, for: .weather, origin: .user)
        }
        #expect(try withStore { try $0.decisions() }.mapValues(\.record) == [.weather: record, .maps: .init(.always)])
        try withStore { try $0.save(.init(.always), for: .weather, origin: .user) }
        #expect(try withStore { try $0.decisions() }[.weather]?.record == .init(.always))
    }

    @Test("a decision replaces the previous one of the same client only")
    func decisionReplacesOnlyItsPredecessor() throws {
        let decisions = try withStore {
            try $0.save(.init(.always), for: .weather, origin: .user)
            try $0.save(.init(.whenInUse), for: .maps, origin: .user)
            try $0.save(.init(.denied), for: .weather, origin: .root)
            return try $0.decisions()
        }
        #expect(decisions.mapValues(\.record) == [.weather: .init(.denied), .maps: .init(.whenInUse)])
        #expect(decisions[.weather]?.origin == .root)
    }

    @Test("a reset keeps the origin of the reset")
    func resetKeepsItsOrigin() throws {
        try withStore {
            try $0.save(.init(.always), for: .weather, origin: .user)
            try $0.save(.init(), for: .weather, origin: .root)
        }
        let decisions = try withStore { try $0.decisions() }
        #expect(decisions[.weather]?.record == .init())
        #expect(decisions[.weather]?.origin == .root)
    }

    /// Names are data: no character in them ends a statement or a string.
    @Test(
        "any name is stored unchanged",
        arguments: [
            "", "'); DROP TABLE decision; --", "null\0byte", "Größe 🌍", String(repeating: "x", count: 100_000),
        ])
    func namesAreStoredUnchanged(name: String) throws {
        let key = ClientKey(userID: .max, client: name)
        try withStore { try $0.save(.init(.denied), for: key, origin: .user) }
        #expect(try withStore { try $0.decisions() }[key]?.record == .init(.denied))
    }

    /// Composed and decomposed forms of the same letter: two names to SQLite, one to Swift.
    @Test("of names that Swift considers equal, the newest decision counts")
    func newestDecisionCountsForEqualNames() throws {
        try withStore {
            try $0.save(.init(.denied), for: .init(userID: 1, client: "e\u{301}"), origin: .root)
            try $0.save(.init(.always), for: .init(userID: 1, client: "\u{e9}"), origin: .user)
        }
        let decisions = try withStore { try $0.decisions() }
        #expect(decisions.mapValues(\.record) == [.init(userID: 1, client: "\u{e9}"): .init(.denied)])
    }

    @Test("services are switched by user and for all")
    func servicesAreSwitchedPerUserAndForAll() throws {
        try withStore {
            #expect(try $0.disabledServices() == [:])
            try $0.setServiceEnabled(false, for: nil, origin: .root)
            try $0.setServiceEnabled(false, for: 1000, origin: .user)
            try $0.setServiceEnabled(false, for: .max, origin: .root)
            try $0.setServiceEnabled(true, for: 1001, origin: .user)
        }
        try withStore {
            #expect(try $0.disabledServices() == [nil: .root, 1000: .user, .max: .root])
            try $0.setServiceEnabled(true, for: nil, origin: .root)
            try $0.setServiceEnabled(true, for: .max, origin: .root)
        }
        #expect(try withStore { try $0.disabledServices() } == [1000: .user])
    }

    @Test("a switch that is on disk already is not written again")
    func repeatedSwitchIsNotWritten() throws {
        try withStore { try $0.setServiceEnabled(false, for: 1000, origin: .user) }
        let bytes = try directory.bytes()
        try withStore {
            for _ in 0..<3 { try $0.setServiceEnabled(false, for: 1000, origin: .root) }
            try $0.setServiceEnabled(true, for: 1001, origin: .user)
        }
        #expect(try directory.bytes() == bytes)
        try withStore { try $0.setServiceEnabled(true, for: 1000, origin: .user) }
        #expect(try directory.bytes() != bytes)
    }

    @Test("a client keeps its secret")
    func clientKeepsItsSecret() throws {
        let weather = try withStore { try $0.reductionSecret(for: "org.example.Weather") }
        try withStore {
            #expect(try $0.reductionSecret(for: "org.example.Weather") == weather)
            #expect(try $0.reductionSecret(for: "org.example.Maps") != weather)
            try $0.save(.init(), for: .weather, origin: .user)
            #expect(try $0.reductionSecret(for: "org.example.Weather") == weather)
        }
    }
}

@Suite("The limit of decisions about undeclared programs", .timeLimit(.minutes(10)))
struct DecisionBoundTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func save(_ client: String, of user: UInt32 = 1000, at seconds: Int, _ store: LocationStore) throws {
        let origin = DecisionOrigin(
            userID: user, manner: .command, timestamp: .example.advanced(by: .seconds(seconds)))
        try store.save(.init(.denied), for: ClientKey(userID: user, client: client), origin: origin)
    }

    private func clients(_ store: LocationStore) throws -> Set<String> { Set(try store.decisions().keys.map(\.client)) }

    @Test("the oldest undeclared programs of the user are removed, declared clients and other users never")
    func oldestOfTheUser() throws {
        let (store, _) = try directory.open()
        try save("org.example.App", at: 0, store)
        try save("/b", at: 2, store)
        try save("/a", at: 1, store)
        try save("flatpak:c", at: 3, store)
        try save("/other", of: 1001, at: 0, store)
        #expect(try store.dropOldestUndeclared(of: 1000, sparing: "/b", limit: 3) == [])
        #expect(try store.dropOldestUndeclared(of: 1000, sparing: "flatpak:c", limit: 2) == ["/a"])
        #expect(try clients(store) == ["org.example.App", "/b", "flatpak:c", "/other"])
        // A clock that was set back does not make the newest decision the first to go.
        #expect(try store.dropOldestUndeclared(of: 1000, sparing: "/b", limit: 1) == ["flatpak:c"])
        #expect(try clients(store) == ["org.example.App", "/b", "/other"])
    }

    @Test("a database that holds far too many is cleaned up and becomes small")
    func cleanUp() throws {
        let (store, _) = try directory.open()
        try store.transaction { () throws(StoreError) in
            for number in 0..<20_000 {
                let origin = DecisionOrigin(
                    userID: 1000, manner: .command, timestamp: .example.advanced(by: .seconds(number)))
                try store.save(
                    .init(.denied), for: ClientKey(userID: 1000, client: "/usr/bin/x\(number)"), origin: origin)
            }
        }
        try save("org.example.App", at: 0, store)
        try save("/usr/bin/y", of: 1001, at: 0, store)
        let size = try directory.bytes().count
        #expect(try store.dropOldestUndeclared(limit: 100) == 19_900)
        #expect(
            try clients(store)
                == Set((19_900..<20_000).map { "/usr/bin/x\($0)" } + ["org.example.App", "/usr/bin/y"]))
        #expect(try directory.bytes().count < size / 10)
        #expect(try store.dropOldestUndeclared(limit: 100) == 0)
    }
}
