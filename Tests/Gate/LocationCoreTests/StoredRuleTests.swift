import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// The rules of a user as they are kept, and those of a database that takes the place of the open one.
@Suite("Stored rules", .timeLimit(.minutes(10)))
struct StoredRuleTests {
    @Test("a replaced database limits no less than the one before")
    func replacedDatabase() throws {
        var before = StoredRules()
        let home = NamedPlace(name: "home", center: Coordinate(latitude: 48, longitude: 11)!, radius: 300)!
        var generator = SystemRandomNumberGenerator()
        let secret = AccuracyReduction.Secret(using: &generator)
        before.apply(.place(home, secret))
        before.apply(.rule(1, AccessRule(.init(.user, 1), when: [.inside("home")], limit: .denial)))
        before.apply(.rule(2, AccessRule(.init(.user, 2), when: [.onBattery], limit: .denial)))
        for isEmpty in [true, false] {
            var after = StoredRules()
            if !isEmpty {
                // Another rule has the number, and one has another.
                after.apply(.rule(1, AccessRule(.init(.user, 1), when: [.sessionLocked], limit: .denial)))
                after.apply(.rule(7, AccessRule(.init(.user, 7), when: [.onBattery], limit: .denial)))
            }
            for change in after.changes(since: before) { after.apply(change) }
            #expect(after.places == ["home": home] && after.secret == secret)
            #expect(after.rules.map(\.id.number) == (isEmpty ? [1, 2] : [1, 7, 8]))
            #expect(after.rules.contains { $0.conditions == [.inside("home")] })
        }
    }

    @Test("a database with another secret draws no other border around the same home, also after a restart")
    func replacedSecret() async throws {
        let home = NamedPlace(name: "home", center: Coordinate(latitude: 48, longitude: 11)!, radius: 300)!
        var generator = SystemRandomNumberGenerator()
        let (known, other) = (
            AccuracyReduction.Secret(using: &generator), AccuracyReduction.Secret(using: &generator)
        )
        var before = StoredRules()
        before.apply(.place(home, known))
        before.apply(.rule(1, AccessRule(.init(.user, 1), when: [.inside("home")], limit: .denial)))
        for secret in [other, nil] {
            for hasPlace in [true, false] {
                var after = StoredRules()
                after.secret = secret
                if hasPlace { after.places["home"] = home }
                let changes = after.changes(since: before)
                for change in changes { after.apply(change) }
                #expect(after.places == ["home": home] && after.secret == known)
                // On disk, too.
                let directory = try TemporaryDirectory()
                let disk = DecisionStore(
                    try LocationStore.open(directory: directory.path, now: .now()).store,
                    eventLoop: MultiThreadedEventLoopGroup.singleton.next()
                ) { .now() }
                if let secret {
                    _ = try await disk.save([.place(home, secret)], of: 1, by: 1, isDenial: false).get()
                }
                _ = try await disk.save(changes, of: 1, by: 1, isDenial: true).get()
                #expect(try await disk.read(historyDays: 1).rules[1]?.secret == known)
                try await disk.shutdown()
            }
        }
        // Without a place no border was drawn.
        var none = StoredRules()
        none.secret = known
        var after = StoredRules()
        after.secret = other
        #expect(after.changes(since: none).isEmpty)
    }

    @Test("the number of a rule is not used again, whatever the order in which rules are added")
    func numbersAreNotUsedAgain() throws {
        var rules = StoredRules()
        for number in [1, 9, 3] {
            rules.apply(.rule(number, AccessRule(.init(.user, number), when: [.onBattery], limit: .denial)))
        }
        #expect(rules.lastNumber == 9)
        rules.apply(.rule(9, nil))
        #expect(rules.lastNumber == 9 && rules.rules.map(\.id.number) == [1, 3])
        let directory = try TemporaryDirectory()
        let store = try LocationStore.open(directory: directory.path, now: .now()).store
        for number in [1, 9, 3] {
            try store.setRule(
                AccessRule(.init(.user, number), when: [.onBattery], limit: .denial).propertyList, number: number,
                of: 1,
                by: 1, at: .now())
        }
        try store.setRule("", number: 9, of: 1, by: 1, at: .now())
        #expect(try store.rules()[1]?.lastNumber == 9)
    }
}
