import FleetModel
import FleetRecording
import LocationModel
import PostgreSQL
import TestSupport
import Testing

@Suite("The database of a fleet", .timeLimit(.minutes(10)))
struct FleetDatabaseTests {
    private let now = Timestamp("2026-11-24T12:00:00Z")!

    private func position(
        _ time: String, of topic: String = "owntracks/fleet/van", longitude: Double = 16
    ) throws -> RecordedPosition {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 48, longitude: longitude)),
            timestamp: try #require(Timestamp(time)))
        (location.speed, location.course, location.horizontalAccuracy) = (10, 90, 5)
        return RecordedPosition(topic: topic, position: FleetPosition(location, battery: 80))
    }

    private func days(_ count: Int) -> Day { Day(first: count, before: now) }

    @Test("a position that arrives twice is recorded once, and an older one is not the last")
    func twice() async throws {
        let server = try await DatabaseServer()
        let database = try FleetDatabase(server.address, creates: true)
        let first = try position("2026-11-24T11:00:00Z"), second = try position("2026-11-24T11:00:01Z", longitude: 16.1)
        #expect(try database.store([first, second, second], from: days(90), at: now).added == 2)
        #expect(try database.store([second, first], from: days(90), at: now).added == 0)
        #expect(try server.rows("SELECT count(*) FROM fleet.position") == [["2"]])
        #expect(
            try server.rows("SELECT ST_X(point::geometry), battery, speed FROM fleet.last") == [["16.1", "80", "10"]])
        let track = try database.track(
            "owntracks/fleet/van", from: try #require(Timestamp("2026-11-24T11:00:00Z")),
            to: try #require(Timestamp("2026-11-24T11:00:01Z")))
        #expect(track == [first.position.location])
    }

    @Test("times of a fraction of a second come back as they were, and the last of a day stays in it")
    func fractions() async throws {
        let server = try await DatabaseServer()
        let database = try FleetDatabase(server.address, creates: true)
        let times = ["2026-11-23T23:59:59.999999999Z", "2026-11-24T00:00:00.125Z"]
        try database.store(try times.map { try position($0) }, from: days(90), at: now)
        let track = try database.track(
            "owntracks/fleet/van", from: days(90).start, to: now)
        #expect(track.map(\.timestamp.description) == ["2026-11-23T23:59:59.999999Z", "2026-11-24T00:00:00.125Z"])
    }

    @Test("positions older than the days to keep are removed, and not recorded")
    func retention() async throws {
        let server = try await DatabaseServer()
        let database = try FleetDatabase(server.address, creates: true)
        let all =
            try ["2026-11-20T08:00:00Z", "2026-11-22T08:00:00Z", "2026-11-24T08:00:00Z"].map { try position($0) }
            + [try position("2026-11-20T09:00:00Z", of: "owntracks/fleet/old")]
        try database.store(all, from: days(90), at: now)
        try database.maintain(from: days(90), at: now)
        #expect(try server.rows("SELECT count(*) FROM fleet.trajectory") == [["3"]])
        try database.maintain(from: days(2), at: now)
        #expect(
            try server.rows("SELECT time::date FROM fleet.position ORDER BY 1") == [["2026-11-22"], ["2026-11-24"]])
        #expect(try server.rows("SELECT day FROM fleet.trajectory") == [["2026-11-22"]])
        #expect(try server.rows("SELECT topic FROM fleet.vehicle") == [["owntracks/fleet/van"]])
        #expect(try database.store(Array(all.prefix(1)), from: days(2), at: now).tooOld == 1)
        #expect(try server.rows("SELECT count(*) FROM fleet.position") == [["2"]])
    }

    @Test("a day that has ended has a line with times and a length, and again after a late position")
    func trajectories() async throws {
        let server = try await DatabaseServer()
        let database = try FleetDatabase(server.address, creates: true)
        try database.store(
            [try position("2026-11-23T08:00:00Z"), try position("2026-11-23T08:10:00Z", longitude: 16.1)],
            from: days(90), at: now)
        try database.maintain(from: days(90), at: now)
        let statement = """
            SELECT positions, distance BETWEEN 7455 AND 7470, ST_NPoints(line), ST_M(ST_EndPoint(line))
            FROM fleet.trajectory WHERE day = '2026-11-23'
            """
        #expect(try server.rows(statement) == [["2", "t", "2", "1795421400"]])
        // Through another connection, as after a restart.
        let later = try FleetDatabase(server.address)
        try later.store([try position("2026-11-23T08:20:00Z", longitude: 16.2)], from: days(90), at: now)
        try later.maintain(from: days(90), at: now)
        #expect(
            try server.rows("SELECT positions, distance BETWEEN 14910 AND 14940 FROM fleet.trajectory") == [["3", "t"]])
    }

    @Test("names that others choose are texts, and no vehicle takes the place of another by its name")
    func names() async throws {
        let server = try await DatabaseServer()
        let database = try FleetDatabase(server.address, creates: true)
        let hostile = #"owntracks/a\tb'; DROP SCHEMA fleet; --/ü"# + "\t\\N\u{1F6F0}"
        let topics = ["owntracks/fleet/van", "owntracks/other/van", hostile]
        try database.store(
            try topics.map { try position("2026-11-24T11:00:00Z", of: $0) },
            names: [hostile: "owntracks/fleet/van", "owntracks/other/van": "Bus\0\n"], from: days(90), at: now)
        #expect(Set(try server.rows("SELECT topic FROM fleet.vehicle").map { $0[0] }) == Set(topics))
        #expect(try database.topics(named: "van") == ["owntracks/fleet/van", "owntracks/other/van"])
        #expect(try database.topics(named: "fleet/van") == ["owntracks/fleet/van"])
        #expect(try database.topics(named: "owntracks/fleet/van") == ["owntracks/fleet/van"])
        #expect(try database.topics(named: hostile) == [hostile])
        #expect(try database.topics(named: "%") == [])
        #expect(try database.delete(hostile) == 1)
        #expect(try server.rows("SELECT count(*) FROM fleet.position") == [["2"]])
        #expect(try server.rows("SELECT count(*) FROM fleet.last") == [["2"]])
    }

    @Test("a publisher under many topics fills at most the limit of vehicles")
    func manyVehicles() async throws {
        let server = try await DatabaseServer()
        let database = try FleetDatabase(server.address, creates: true)
        let all = try (0..<50).map { try position("2026-11-24T11:00:00Z", of: "owntracks/fleet/v\($0)") }
        #expect(try database.store(all, vehicles: 10, from: days(90), at: now).added == 10)
        #expect(try database.store(all, vehicles: 10, from: days(90), at: now).added == 0)
    }

    @Test("unusable input is reported with its remedy")
    func failures() async throws {
        let server = try await DatabaseServer(withExtensions: false)
        #expect(throws: FleetDatabaseFailure.noTables) { try FleetDatabase(server.address) }
        let failure = #expect(throws: FleetDatabaseFailure.self) { try FleetDatabase(server.address, creates: true) }
        #expect(failure?.description.contains("CREATE EXTENSION postgis") == true, "\(failure?.description ?? "")")
        let absent = #expect(throws: FleetDatabaseFailure.self) {
            try FleetDatabase("postgresql:///nothing?host=\(server.directory.path)&user=owner")
        }
        #expect(absent?.description.contains("\"nothing\" does not exist") == true)
    }

    @Test("one recorder at a time writes into a database")
    func oneRecorder() async throws {
        let server = try await DatabaseServer()
        let first = try FleetDatabase(server.address, creates: true)
        try first.becomeRecorder()
        let second = try FleetDatabase(server.address)
        #expect(throws: FleetDatabaseFailure.otherRecorder) { try second.becomeRecorder() }
    }
}
