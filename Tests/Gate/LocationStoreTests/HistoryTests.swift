import Foundation
import LocationModel
import LocationPolicy
import SQLite
import TestSupport
import Testing

@testable import LocationStore

@Suite(.timeLimit(.minutes(10))) struct HistoryTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func location(radius: Double?) -> Location {
        var location = Location(coordinate: .init(latitude: 47.3769, longitude: 8.5417)!, timestamp: .example)
        location.horizontalAccuracy = radius
        return location
    }

    func time(_ seconds: Int) -> Timestamp { .example.advanced(by: .seconds(seconds)) }

    func session(of key: ClientKey, from start: Int, to end: Int) -> AccessSession {
        var session = AccessSession(of: key, with: location(radius: 5), accuracy: .full, at: time(start))
        session.add(location(radius: 5), accuracy: .full, at: time(end))
        return session
    }

    @Test("a session keeps its finest accuracy")
    func sessionKeepsFinestAccuracy() {
        var session = AccessSession(of: .weather, with: location(radius: nil), accuracy: .reduced, at: time(0))
        #expect(session.finestRadius == nil)
        session.add(location(radius: 9000), accuracy: .reduced, at: time(900))
        #expect((session.accuracy, session.finestRadius, session.count) == (.reduced, 9000, 2))
        session.add(location(radius: 5), accuracy: .full, at: time(901))
        session.add(location(radius: nil), accuracy: .reduced, at: time(902))
        #expect((session.accuracy, session.finestRadius, session.count) == (.full, 5, 4))
        // A clock set back does not end a session before its start.
        session.add(location(radius: 7), accuracy: .full, at: time(-3600))
        #expect((session.start, session.end) == (time(0), time(902)))
    }

    @Test("writing an open session again replaces it")
    func openSessionIsReplaced() throws {
        var session = AccessSession(of: .weather, with: location(radius: nil), accuracy: .reduced, at: time(0))
        try directory.open().store.record([session])
        #expect(try directory.open().store.history(limit: 10) == [session])
        session.add(location(radius: 5), accuracy: .full, at: time(5))
        try directory.open().store.record([session])
        #expect(try directory.open().store.history(limit: 10) == [session])
    }

    @Test("sessions of a client that are near each other are joined, and what is joined counts once against the limit")
    func nearSessionsAreJoined() throws {
        let (store, _) = try directory.open()
        let first = AccessSession(
            of: .weather, by: "GeoClue", with: location(radius: 900), accuracy: .reduced, at: time(0))
        var second = session(of: .weather, from: 60, to: 100)
        let third = session(of: .weather, from: 161, to: 170)
        try store.record([first, second, session(of: .maps, from: 30, to: 105), third])
        let joined = try store.history(client: "org.example.Weather", joining: .seconds(60), limit: 10)
        second.join(first)
        #expect(joined == [third, second])
        #expect((second.start, second.end, second.count) == (time(0), time(100), 3))
        #expect((second.accuracy, second.finestRadius, second.frontEnd) == (.full, 5, nil))
        #expect(try store.history(joining: .seconds(61), limit: 10).map(\.count) == [5, 2])
        #expect(try store.history(joining: .seconds(61), limit: 1).map(\.count) == [5])
        #expect(try store.history(joining: .seconds(1), limit: 10).count == 4)
    }

    @Test("history is filtered by user, client and time")
    func historyIsFiltered() throws {
        let (store, _) = try directory.open()
        let old = session(of: .weather, from: 0, to: 10)
        let new = session(of: .weather, from: 20, to: 30)
        let other = session(of: .maps, from: 5, to: 25)
        try store.record([old, new, other])
        #expect(try store.history(limit: 10) == [new, other, old])
        #expect(try store.history(limit: 2) == [new, other])
        #expect(try store.history(limit: -1).isEmpty)
        #expect(try store.history(user: 1000, limit: 10) == [new, old])
        #expect(try store.history(client: "org.example.Maps", limit: 10) == [other])
        #expect(try store.history(user: 1000, client: "org.example.Maps", limit: 10).isEmpty)
        #expect(try store.history(since: time(25), limit: 10) == [new, other])
        #expect(try store.lastAccess(of: 1000) == ["org.example.Weather": time(30)])
        #expect(try store.lastAccess(of: 1001) == ["org.example.Maps": time(25)])
        #expect(try store.lastAccess(of: 1002).isEmpty)
    }

    @Test("a user's history is found by an index, whatever the number of others' sessions")
    func historyByIndex() throws {
        do { _ = try directory.open() }
        let database = try SQLDatabase(path: directory.database)
        // The form of the query of `history(user:client:since:limit:)`.
        let plan = try database.rows(
            """
            EXPLAIN QUERY PLAN SELECT locations FROM access
            WHERE user_id = ?4 AND (?1 IS NULL OR client = ?1) AND ended_at >= ?2
            ORDER BY ended_at DESC, started_at DESC LIMIT ?3
            """
        ) { row throws(StoreError) in try row.text(3) }
        #expect(plan.contains { $0.contains("access_by_user (user_id=? AND ended_at>?)") }, "\(plan)")
    }

    @Test("history is limited by age and by user")
    func historyIsBounded() throws {
        let (store, _) = try directory.open()
        let many = (0...LocationStore.sessionsPerUser).map { session(of: .weather, from: $0, to: $0) }
        let other = session(of: .maps, from: -10, to: -5)
        try store.record(many + [other, session(of: .maps, from: -100, to: -50)])
        try store.prune(before: time(-10))
        #expect(try store.history(user: 1000, limit: .max) == many.dropFirst().reversed())
        #expect(try store.history(user: 1001, limit: .max) == [other])
    }

    /// The file and all that is beside it.
    private func contains(_ name: String) throws -> Bool {
        try directory.names.contains { file in
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(file)")))
            return bytes.firstRange(of: Array(name.utf8)) != nil
        }
    }

    @Test("the name of a client whose history or decision was removed is nowhere in the files")
    func prunedNamesAreErased() throws {
        let (store, _) = try directory.open()
        let pruned = ClientKey(userID: 1000, client: "org.example.SecretClinic")
        try store.record((0..<50).map { session(of: pruned, from: $0, to: $0) })
        try store.record([session(of: .maps, from: 100, to: 100)])
        let dropped = ClientKey(userID: 1000, client: "/usr/bin/secret-program")
        try store.save(.init(.denied), for: dropped, origin: .user)
        #expect(try contains("SecretClinic") && contains("secret-program"))
        try store.prune(before: time(99))
        #expect(try store.dropOldestUndeclared(of: 1000, sparing: "", limit: 0) == [dropped.client])
        #expect(try !contains("SecretClinic"))
        #expect(try !contains("secret-program"))
        #expect(try contains(ClientKey.maps.client))
    }

    /// The whole file, after locations went through every method that takes them.
    @Test("the file contains no coordinate")
    func fileContainsNoCoordinate() throws {
        let (store, _) = try directory.open()
        try store.record([session(of: .weather, from: 0, to: 10)])
        let bytes = try directory.bytes()
        for value in [47.3769, 8.5417] {
            let pattern = withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: pattern) })
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: "\(value)".utf8) })
        }
    }
}
