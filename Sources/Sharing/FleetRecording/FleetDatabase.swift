package import FleetModel
package import LocationModel
import PostgreSQL

/// A position with the topic of its vehicle.
package struct RecordedPosition: Hashable, Sendable {
    /// The topic, which identifies the vehicle.
    package var topic: String
    /// What the vehicle has reported.
    package var position: FleetPosition

    /// A position of a vehicle.
    package init(topic: String, position: FleetPosition) { (self.topic, self.position) = (topic, position) }
}

/// The recorded positions of a fleet, in a PostgreSQL database with PostGIS.
///
/// A position is identified by its vehicle and time: one that is stored again, as a broker may deliver it twice, changes nothing.
///
/// Not `Sendable`: one thread uses it, which its methods block.
package final class FleetDatabase {
    /// The database by default: of the local server, with the rights of the user who runs the program.
    package static let usual = "postgresql:///fleet"

    /// What one call of ``store(_:names:keeping:at:)`` has done.
    package struct Outcome: Hashable, Sendable {
        /// The number of positions that were not known before.
        package var added = 0
        /// The number of positions that are older than the days to keep.
        package var tooOld = 0
    }

    /// The numbers of the locks, which other programs of the database do not use: of whoever records, and of a change.
    private static let (recorderLock, changeLock) = (7_105_921_001, 7_105_921_002)
    /// The number of trajectories that are made in one transaction.
    private static let trajectoriesAtOnce = 200

    private let connection: PostgreSQLConnection
    /// The days that have a partition, as far as is known.
    private var days: Set<Day> = []
    private var hasIncoming = false

    /// Opens the tables in a database.
    ///
    /// - Parameters:
    ///   - database: a connection string or URI, as libpq takes them.
    ///   - creates: true to create the tables if there are none.
    package init(_ database: String, creates: Bool = false) throws(FleetDatabaseFailure) {
        connection = try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            try PostgreSQLConnection(database, program: "locationd-fleet-recorder")
        }
        if creates { try createTables() }
        let version = try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            guard try areTables else { return String?.none }
            try connection.run("SET search_path = fleet, public")
            return try connection.rows("SELECT value FROM setting WHERE name = 'version'").first?.first ?? ""
        }
        guard let version else { throw .noTables }
        guard version == FleetSchema.version else { throw .otherVersion }
    }

    private var areTables: Bool {
        get throws(PostgreSQLFailure) {
            try connection.rows("SELECT to_regclass('fleet.setting')").first?.first.flatMap { $0 } != nil
        }
    }

    private func createTables() throws(FleetDatabaseFailure) {
        if try FleetDatabaseFailure.translating({ () throws(PostgreSQLFailure) in try areTables }) { return }
        do throws(PostgreSQLFailure) {
            try connection.run(FleetSchema.postgis)
        } catch {
            throw error.isOfConnection ? .unreachable(error.words) : .noPostGIS(error.words)
        }
        try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            try connection.transaction { () throws(PostgreSQLFailure) in
                // Of two recorders that start at once, one creates them.
                try connection.rows("SELECT pg_advisory_xact_lock($1)", ["\(Self.changeLock)"])
                if try !areTables { try connection.run(FleetSchema.tables) }
            }
        }
    }

    /// The name of the client at the broker, whose session waits for this database.
    package func clientID() throws(FleetDatabaseFailure) -> String {
        try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            (try connection.rows("SELECT value FROM setting WHERE name = 'client'").first?.first ?? nil)
                ?? "locationd-recorder"
        }
    }

    /// Makes this the only connection that records. Throws if there is another one.
    package func becomeRecorder() throws(FleetDatabaseFailure) {
        let isFree = try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            try connection.rows("SELECT pg_try_advisory_lock($1)", ["\(Self.recorderLock)"]).first?.first == "t"
        }
        guard isFree else { throw .otherRecorder }
    }

    /// Stores positions, and the names that vehicles give themselves, by topic. When it returns, they are on the disk.
    ///
    /// - Parameters:
    ///   - vehicles: the greatest number of vehicles; positions of others are left out.
    ///   - first: the first day that is kept.
    ///   - now: the present time.
    @discardableResult
    package func store(
        _ positions: [RecordedPosition], names: [String: String?] = [:], vehicles: Int = Fleet.usualLimit,
        from first: Day, at now: Timestamp
    ) throws(FleetDatabaseFailure) -> Outcome {
        let kept = positions.filter { Day($0.position.location.timestamp) >= first }
        let keptDays = Set(kept.map { Day($0.position.location.timestamp) })
        var outcome = Outcome(tooOld: positions.count - kept.count)
        guard !kept.isEmpty || !names.isEmpty else { return outcome }
        outcome.added = try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            try connection.transaction { () throws(PostgreSQLFailure) in
                if !hasIncoming { try connection.run(FleetSchema.incoming) }
                try connection.rows("SELECT pg_advisory_xact_lock_shared($1)", ["\(Self.changeLock)"])
                for day in keptDays.subtracting(days).sorted() {
                    try connection.run(
                        """
                        CREATE TABLE IF NOT EXISTS fleet.\(day.partition) PARTITION OF fleet.position
                        FOR VALUES FROM ('\(day) 00:00+00') TO ('\(day.next) 00:00+00')
                        """)
                }
                var added = 0
                if !kept.isEmpty {
                    try connection.copy("COPY incoming FROM STDIN", kept.lazy.map(Self.line))
                    try connection.rows(FleetSchema.addVehicles, ["\(vehicles)"])
                    let count = try connection.rows(FleetSchema.addPositions, ["\(Day(now))"]).first?.first ?? nil
                    added = count.flatMap { Int($0) } ?? 0
                    try connection.rows(FleetSchema.setLast)
                }
                for (topic, name) in names.sorted(by: { $0.key < $1.key }) {
                    try connection.rows("UPDATE vehicle SET name = $2 WHERE topic = $1", [topic, name])
                }
                return added
            }
        }
        hasIncoming = true
        days.formUnion(keptDays)
        return outcome
    }

    /// Removes the days before the first one that is kept, and makes the trajectories of days that have ended.
    package func maintain(from first: Day, at now: Timestamp) throws(FleetDatabaseFailure) {
        try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            let today = Day(now)
            let known = try connection.rows(FleetSchema.partitions).compactMap { $0.first.flatMap { $0 } }
                .compactMap { Day(partition: $0) }.sorted()
            for day in known where day < first { try connection.run("DROP TABLE fleet.\(day.partition)") }
            days = Set(known.filter { $0 >= first })
            try connection.transaction { () throws(PostgreSQLFailure) in
                try connection.rows("SELECT pg_advisory_xact_lock($1)", ["\(Self.changeLock)"])
                for statement in FleetSchema.forget { try connection.rows(statement, ["\(first)"]) }
                try connection.run(FleetSchema.forgetVehicles)
                let ended = try connection.rows(FleetSchema.endedDays).first?.first.flatMap { $0 } ?? ""
                for day in known where day >= first && day < today && "\(day)" >= ended {
                    try connection.rows(FleetSchema.markDay, ["\(day)"])
                }
                try connection.rows(FleetSchema.setEndedDays, ["\(today)"])
            }
            while try connection.rows(FleetSchema.makeTrajectories, ["\(Self.trajectoriesAtOnce)"]).first?.first != "0"
            {
                continue
            }
        }
    }

    /// The topics of the vehicles that a name may mean: those with the topic, or the user and device; otherwise with the device;
    /// otherwise with the name that they give themselves, in whatever case.
    package func topics(named name: String) throws(FleetDatabaseFailure) -> [String] {
        let rows = try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            try connection.rows(FleetSchema.named, [name.contains("\0") ? "" : name])
        }
        return rows.filter { $0.last == rows.first?.last }.compactMap { $0.first ?? nil }
    }

    /// The recorded positions of a vehicle in a time, the oldest first.
    package func track(
        _ topic: String, from start: Timestamp, to end: Timestamp
    ) throws(FleetDatabaseFailure) -> [Location] {
        try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            try connection.rows(FleetSchema.track, [topic, "\(start)", "\(end)"])
        }.compactMap { row in
            let numbers = row.map { $0.flatMap { Double($0) } }
            guard row.count == 7, let time = row[0].flatMap({ Timestamp($0) }), let latitude = numbers[1],
                let longitude = numbers[2], let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else { return nil }
            var location = Location(coordinate: coordinate, timestamp: time)
            (location.horizontalAccuracy, location.altitude) = (numbers[3], numbers[4])
            (location.speed, location.course) = (numbers[5], numbers[6])
            return location
        }
    }

    /// The recorded positions of all vehicles in a time.
    package func day(from start: Timestamp, to end: Timestamp) throws(FleetDatabaseFailure) -> RecordedDay {
        var day = RecordedDay(from: start, to: end)
        try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            for row in try connection.rows("SELECT id, topic, name FROM vehicle") {
                guard let number = row[0].flatMap({ Int32($0) }), let topic = row[1] else { continue }
                day.add(number, topic: topic, name: row[2])
            }
            // A copy takes no parameters; a time has no character that ends a text.
            try connection.copyOut(
                """
                COPY (SELECT vehicle, time, point FROM position WHERE time >= '\(start)' AND time < '\(end)')
                TO STDOUT (FORMAT binary)
                """
            ) { day.take($0) }
        }
        return day
    }

    /// Removes all that is recorded of a vehicle. Returns the number of its positions.
    package func delete(_ topic: String) throws(FleetDatabaseFailure) -> Int {
        try FleetDatabaseFailure.translating { () throws(PostgreSQLFailure) in
            try connection.transaction { () throws(PostgreSQLFailure) in
                try connection.rows("SELECT pg_advisory_xact_lock($1)", ["\(Self.changeLock)"])
                let count = try connection.rows(FleetSchema.countPositions, [topic]).first?.first.flatMap { $0 }
                for statement in FleetSchema.deleteVehicle { try connection.rows(statement, [topic]) }
                return count.flatMap { Int($0) } ?? 0
            }
        }
    }

    private static func line(_ recorded: RecordedPosition) -> String {
        let (location, battery) = (recorded.position.location, recorded.position.battery)
        let numbers: [Double?] = [
            location.coordinate.longitude, location.coordinate.latitude, location.horizontalAccuracy, location.altitude,
            location.speed, location.course,
        ]
        // PostgreSQL would round further decimals, maybe to the next day.
        let nanoseconds = location.timestamp.nanosecondsSince1970
        let time = Timestamp(nanosecondsSince1970: nanoseconds - nanoseconds % 1000)
        let fields = [recorded.topic, "\(time)"] + numbers.map { $0.map { "\($0)" } }
        return (fields + [battery.map { "\($0)" }]).map(PostgreSQLConnection.field).joined(separator: "\t") + "\n"
    }
}
