import CPostgreSQL
import FoundationEssentials
import Glibc
import LocationModel
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("The recorder of a fleet", .timeLimit(.minutes(10)))
struct FleetRecorderTests {
    private static let program = Products.directory + "/locationd-fleet-recorder"

    private func recorder(_ broker: Broker, _ server: DatabaseServer) async throws -> ChildProcess {
        try await ChildProcess([
            Self.program, "record", "--broker", broker.socket, "--database", server.address,
        ])
    }

    /// Waits until there are as many positions as that: the database notifies of each transaction that adds some.
    private func wait(for count: Int, in server: DatabaseServer) throws {
        let connection = try PostgreSQLConnection(server.address, program: "test")
        try connection.run(
            """
            LISTEN added;
            CREATE OR REPLACE FUNCTION fleet.notify() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NOTIFY added; RETURN NULL; END';
            CREATE OR REPLACE TRIGGER added AFTER INSERT ON fleet.position EXECUTE FUNCTION fleet.notify()
            """)
        while true {
            let rows = try connection.rows("SELECT count(*) FROM fleet.position")
            if let found = rows.first?.first.flatMap({ $0 }).flatMap({ Int($0) }), found >= count { return }
            // The recorder tries again a minute after the last failure at most.
            let hasMore = try connection.waitForNotification(seconds: 150)
            try #require(hasMore, "fewer than \(count) positions")
        }
    }

    @Test("no position is lost or recorded twice when recorder, database and broker are killed in turn")
    func kills() async throws {
        let (broker, server) = (try await Broker(), try await DatabaseServer())
        var recorder = try await recorder(broker, server)
        try await recorder.error(containing: "Recording")
        let start = Int(Timestamp.now().secondsSince1970) - 5000
        var published = 0
        let rounds = ProcessInfo.processInfo.environment["LOCATIOND_TEST_FULL"] == nil ? 3 : 6
        for round in 0..<rounds {
            let writer = try await broker.writer(of: 2000, of: 20, from: start + round * 100)
            switch round % 3 {
            case 0:
                recorder.signal(SIGKILL)
                _ = try await recorder.exitCode()
                recorder = try await self.recorder(broker, server)
            case 1:
                try await server.kill()
                try await server.start()
            default: break
            }
            #expect(try await writer.exitCode() == 0)
            if round % 3 == 2 {
                // The recorder is connected then, but may be behind. The broker acknowledges before it saves.
                try wait(for: published + 1, in: server)
                try await broker.waitForSave()
                try await broker.restart()
            }
            published += 2000
        }
        try wait(for: published, in: server)
        #expect(
            try server.rows("SELECT count(*), count(DISTINCT (vehicle, time)) FROM fleet.position") == [
                ["\(published)", "\(published)"]
            ])
        #expect(try server.rows("SELECT count(DISTINCT time) FROM fleet.last") == [["1"]])
        recorder.signal(SIGTERM)
    }

    @Test("a message is acknowledged after it is on the disk")
    func acknowledgement() async throws {
        let (broker, server) = (try await Broker(), try await DatabaseServer())
        let first = try await recorder(broker, server)
        try await first.error(containing: "Recording")
        let start = Int(Timestamp.now().secondsSince1970) - 5000
        try await broker.publish(positions: 1, of: 1, from: start)
        try wait(for: 1, in: server)
        // It waits in the transaction with what it has read.
        let lock = try PostgreSQLConnection(server.address, program: "test")
        try lock.run("BEGIN; LOCK TABLE fleet.vehicle IN ACCESS EXCLUSIVE MODE")
        try await broker.publish(positions: 50, of: 1, from: start + 1)
        while try server.rows("SELECT count(*) FROM pg_locks WHERE NOT granted") == [["0"]] {
            try await Task.sleep(for: .milliseconds(50))
        }
        first.signal(SIGKILL)
        _ = try await first.exitCode()
        try lock.run("ROLLBACK")
        let second = try await recorder(broker, server)
        try wait(for: 51, in: server)
        second.signal(SIGTERM)
    }

    @Test("a track is printed by name and time, and a vehicle is forgotten")
    func commands() async throws {
        let (broker, server) = (try await Broker(), try await DatabaseServer())
        let recorder = try await recorder(broker, server)
        try await recorder.error(containing: "Recording")
        let start = Int(Timestamp.now().secondsSince1970) - 5000
        try await broker.publish(positions: 20, of: 2, from: start)
        try wait(for: 20, in: server)
        func run(_ arguments: String...) async throws -> ChildProcess.Result {
            try await ChildProcess.run([Self.program] + arguments + ["--database", server.address])
        }
        let gpx = try await run("track", "v1", "--from", "\(Timestamp(secondsSince1970: Int64(start) + 5))")
        #expect(gpx.output.components(separatedBy: "<trkpt").count == 6, "\(gpx.output) \(gpx.errors)")
        #expect(gpx.output.contains("<name>owntracks/fleet/v1</name>"))
        let geoJSON = try await run("track", "fleet/v0", "--format", "geojson")
        #expect(geoJSON.output.contains("\"FeatureCollection\""), "\(geoJSON.errors)")
        let none = try await run("track", "nobody")
        #expect(none.code == 1 && none.errors.contains("No vehicle “nobody” is recorded."), "\(none.errors)")
        let early = try await run("track", "v1", "--to", "2026-01-02", "--from", "2026-01-01")
        #expect(early.code == 1 && early.errors.contains("Nothing is recorded"), "\(early.errors)")
        #expect(try await run("forget", "v1").output.contains("Removed 10 positions of owntracks/fleet/v1."))
        #expect(try server.rows("SELECT topic FROM fleet.vehicle") == [["owntracks/fleet/v0"]])
        recorder.signal(SIGTERM)
    }
}

extension PostgreSQLConnection {
    /// Waits for a notification on a channel that a `LISTEN` of this connection named. Returns false if none has come in time.
    fileprivate func waitForNotification(seconds: Int) throws(PostgreSQLFailure) -> Bool {
        while true {
            if let notification = PQnotifies(handle) {
                PQfreemem(notification)
                return true
            }
            var event = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            let count = poll(&event, 1, CInt(seconds * 1000))
            if count == 0 { return false }
            guard count > 0 || errno == EINTR, PQconsumeInput(handle) == 1 else { throw failure(nil) }
        }
    }
}
