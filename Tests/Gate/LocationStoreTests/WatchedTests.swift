import LocationConditions
import LocationModel
import LocationPolicy
import SQLite
import TestSupport
import Testing

@testable import LocationStore

@Suite("Conditions of clients on disk", .timeLimit(.minutes(10)))
struct WatchedTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func withStore<T>(_ body: (LocationStore) throws -> T) throws -> T { try body(directory.open().store) }

    private func circle(_ key: ClientKey, _ name: ConditionName, isTold: Bool = true) throws -> StoredCondition {
        let center = Coordinate(latitude: 48.123456789, longitude: -11.5)!
        return StoredCondition(
            key, .circle(try CircularGeographicCondition(center: center, radius: 123.25)),
            ConditionReport(name, .satisfied, since: .example, isTold: isTold))
    }

    private func polygon(_ key: ClientKey, _ name: ConditionName) throws -> StoredCondition {
        func ring(_ size: Double) -> [Coordinate] {
            [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map {
                Coordinate(latitude: 48 + size * $0.0, longitude: size * $0.1)!
            }
        }
        let shape = try PolygonGeographicCondition(
            ring: ring(0.5),
            holes: [
                ring(0.1),
                ring(0.01).map {
                    Coordinate(latitude: $0.latitude + 0.3, longitude: $0.longitude)!
                },
            ])
        return StoredCondition(key, .polygon(shape), ConditionReport(name, .unknown, since: .example, isTold: false))
    }

    @Test("conditions of both shapes, their states and what was reported survive reopening")
    func conditions() throws {
        let stored = [
            try circle(.weather, ConditionName("m", "a")), try polygon(.weather, ConditionName("m", "b")),
            try circle(.maps, ConditionName("m", "a"), isTold: false),
        ]
        try withStore { store in for condition in stored { try store.save(condition) } }
        #expect(Set(try withStore { try $0.conditions() }) == Set(stored))
        let report = ConditionReport(ConditionName("m", "a"), .unsatisfied, since: .example, isTold: false)
        try withStore { store in
            try store.save(
                [report, ConditionReport(ConditionName("m", "gone"), .satisfied, since: .example, isTold: true)],
                of: .weather)
            try store.deleteCondition(ConditionName("m", "b"), of: .weather)
        }
        let left = try withStore { try $0.conditions() }
        #expect(left.count == 2, "a state brings no deleted condition back")
        #expect(left.first { $0.key == .weather }?.report == report)
    }

    @Test("a condition that cannot be read is deleted, and the others are kept")
    func unreadable() throws {
        let stored = try circle(.weather, ConditionName("m", "good"))
        try withStore { store in
            try store.save(stored)
            for (index, shape) in [
                "circle 91 0 5", "circle 0 0", "polygon 0 0 1 1", "square 1 2 3", "circle nan 0 5", "",
            ].enumerated() {
                try store.database.run(
                    "INSERT INTO condition VALUES (1000, 'c', 'm', ?, ?, 0, 0, 0)",
                    [.text("bad\(index)"), .text(shape)])
            }
            #expect(try store.conditions() == [stored])
            let counts: [Int] = try store.database.rows("SELECT count(*) FROM condition") { row throws(StoreError) in
                try row.integer(0)
            }
            #expect(counts == [1])
        }
    }

    @Test("a reset deletes the client's conditions for this user, and a decision does not")
    func reset() throws {
        try withStore { store in
            for key in [ClientKey.weather, .maps] {
                try store.save(try circle(key, ConditionName("m", "a")))
                try store.setWatchesVisits(true, key)
                try store.save(StoredVisit(key, visit(0), isTold: false))
            }
            try store.save(AuthorizationRecord(.denied), for: .weather, origin: .user)
            let end = DecisionOrigin(userID: 1000, manner: .end, timestamp: .example)
            try store.save(AuthorizationRecord(), for: .weather, origin: end)
            #expect(try store.conditions().count == 2, "the end of a decision is no reset")
            try store.save(AuthorizationRecord(), for: .weather, origin: .user)
        }
        try withStore { (store: LocationStore) throws -> Void in
            #expect(try store.conditions().map(\.key) == [.maps])
            #expect(try store.visitWatchers() == [.maps])
            #expect(try store.visits().map(\.key) == [.maps])
        }
    }

    private func visit(_ seconds: Int, departed: Bool = false) -> Visit {
        Visit(
            coordinate: Coordinate(latitude: 48, longitude: 11)!, horizontalAccuracy: 50,
            arrivalDate: .example.advanced(by: .seconds(seconds)),
            departureDate: departed ? .example.advanced(by: .seconds(seconds + 600)) : nil)
    }

    @Test("a visit is kept until its departure was reported, the newest 200 of a client at most")
    func visits() throws {
        try withStore { store in
            try store.save(StoredVisit(.weather, visit(0), isTold: false))
            #expect(try store.visits().isEmpty, "it watches none")
            try store.setWatchesVisits(true, .weather)
            try store.setWatchesVisits(true, .weather)
            try store.save(StoredVisit(.weather, visit(0), isTold: false))
            try store.save(StoredVisit(.weather, visit(0), isTold: true))
            #expect(try store.visits() == [StoredVisit(.weather, visit(0), isTold: true)])
            try store.save(StoredVisit(.weather, visit(0, departed: true), isTold: false))
            #expect(try store.visits() == [StoredVisit(.weather, visit(0, departed: true), isTold: false)])
            try store.save(StoredVisit(.weather, visit(0, departed: true), isTold: true))
            #expect(try store.visits().isEmpty)
            for number in 0..<205 {
                try store.save(StoredVisit(.weather, visit(number * 1000, departed: true), isTold: false))
            }
            #expect(try store.visits().map(\.visit.arrivalDate).first == visit(5000).arrivalDate)
        }
    }

    @Test("the file that makes the service start with the machine exists while it is needed")
    func mark() throws {
        try withStore { store in
            #expect(!store.isMarked)
            for _ in 0..<2 { try store.mark(true) }
            #expect(store.isMarked)
            for _ in 0..<2 { try store.mark(false) }
            #expect(!store.isMarked)
        }
    }
}
