import LocationModel
import LocationPolicy
import SQLite
import TestSupport
import Testing

@testable import LocationStore

@Suite("Rules and places on disk", .timeLimit(.minutes(10))) struct RuleStoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let home = NamedPlace(name: "home", center: Coordinate(latitude: 48, longitude: 11)!, radius: 300)!

    private func write() throws -> KeptRules {
        let (store, _) = try directory.open()
        try store.setRule("<plist/>", number: 1, of: 1000, by: 1000, at: .example)
        try store.setRule("<plist></plist>", number: 3, of: 1000, by: 0, at: .example)
        try store.save(Self.home, of: 1000)
        let secret = try store.zoneSecret(of: 1000)
        try store.savePacedRelease(to: .weather, at: .example)
        var kept = KeptRules()
        (kept.lists, kept.places, kept.lastNumber) = ([1: "<plist/>", 3: "<plist></plist>"], ["home": Self.home], 3)
        kept.secret = secret
        return kept
    }

    @Test("rules, places, the secret and times of deliveries survive; numbers and the secret survive their removal")
    func keeping() throws {
        let kept = try write()
        do {
            let (store, opening) = try directory.open()
            #expect(opening == .existing)
            #expect(try store.rules() == [1000: kept])
            #expect(try store.pacedReleases() == [.weather: .example])
            try store.setRule("", number: 3, of: 1000, by: 1000, at: .example)
            try store.removePlace("home", of: 1000)
        }
        let (store, _) = try directory.open()
        let left = try #require(try store.rules()[1000])
        #expect(left.lastNumber == 3 && left.secret == kept.secret && left.places.isEmpty)
        #expect(left.lists.keys.sorted() == [1])
        #expect(try store.zoneSecret(of: 1000) == kept.secret)
    }

    @Test(
        "a damaged row counts as damage: valid ones are kept, and a damaged rule is kept as a denial",
        arguments: [
            ("UPDATE rule SET list = 'x' WHERE number = 3", 2), ("UPDATE place SET latitude = 1.0", 0),
            ("UPDATE rule SET decided_by = 7 WHERE number = 1", 2), ("UPDATE place SET radius = 1e9", 0),
        ] as [(String, Int)])
    func damage(change: String, _: Int) throws {
        let kept = try write()
        do {
            let database = try SQLDatabase(path: directory.database)
            let statement: SQLText =
                switch change {
                case let text where text.contains("'x'"): "UPDATE rule SET list = 'x' WHERE number = 3"
                case let text where text.contains("latitude"): "UPDATE place SET latitude = 1.0"
                case let text where text.contains("radius"): "UPDATE place SET radius = 1e9"
                default: "UPDATE rule SET decided_by = 7 WHERE number = 1"
                }
            try database.run(statement)
        }
        let (store, opening) = try directory.open()
        guard case .replaced(_, _, 2) = opening else {
            Issue.record("\(opening)")
            return
        }
        let found = try #require(try store.rules()[1000])
        #expect(found.lists.keys.sorted() == [1, 3])
        #expect(found.secret == kept.secret)
        let isOfPlace = change.contains("place")
        #expect(found.places.isEmpty == isOfPlace)
        #expect(found.lists.values.contains(KeptRules.damagedRule) == !isOfPlace)
        #expect(try store.disabledServices()[nil] != nil, "off for the machine")
    }

    @Test("without its row, the last number is that of the last rule")
    func lostNumber() throws {
        _ = try write()
        try SQLDatabase(path: directory.database).run("DELETE FROM rule_number")
        #expect(try directory.open().store.rules()[1000]?.lastNumber == 3)
    }
}
