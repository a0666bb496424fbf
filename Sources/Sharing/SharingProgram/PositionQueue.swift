import CSQLite
import Glibc
import LocationModel
import LocationSharing
import POSIXSupport
import SQLite

/// The positions that a service does not have yet, in a file with mode 0600: one table of SQLite.
///
/// A position is written before it is sent, and removed when the service has it, so a kill loses none and sends one message
/// twice at most. A loss of power may lose the last moments (`synchronous=NORMAL`). What is removed is overwritten with zeros, in
/// the write-ahead log within the next hundred pages.
///
/// Not `Sendable`: one thread uses it.
final class PositionQueue {
    /// The number of positions, and at most a hundred more, of which the oldest give way: 4 MB.
    static let capacity: Int64 = 100_000
    /// The age from which a position is removed.
    static let greatestAge = Duration.seconds(7 * 86_400)

    /// The number of positions after which the oldest ones are looked at, which costs more than to add one.
    private static let pruningInterval: Int64 = 100

    private let database: SQLDatabase<PositionQueueError>

    /// Opens the file of a queue, or makes it. The content of an earlier queue is removed.
    ///
    /// - Parameter start: the start of the queue, which tells it from others.
    init(_ file: String, start: Timestamp) throws(PositionQueueError) {
        try Self.create(file)
        database = try SQLDatabase(path: file)
        try database.run("PRAGMA busy_timeout = 1000")
        try database.run("PRAGMA journal_mode = WAL")
        try database.run("PRAGMA synchronous = NORMAL")
        try database.run("PRAGMA wal_autocheckpoint = 100")
        try database.run("PRAGMA secure_delete = ON")
        try database.run("PRAGMA trusted_schema = OFF")
        try database.transaction { () throws(PositionQueueError) in
            try database.run("CREATE TABLE IF NOT EXISTS queue (start INTEGER NOT NULL)")
            try database.run(
                """
                CREATE TABLE IF NOT EXISTS position (
                    sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, latitude INTEGER NOT NULL,
                    longitude INTEGER NOT NULL, accuracy INTEGER, vertical_accuracy INTEGER, altitude INTEGER,
                    speed INTEGER, course INTEGER)
                """)
            let starts = try database.rows("SELECT start FROM queue") { (row) throws(PositionQueueError) in
                try row.integer(0, as: Int64.self)
            }
            guard starts != [start.nanosecondsSince1970] else { return }
            try database.run("DELETE FROM position")
            try database.run("DELETE FROM queue")
            try database.run("INSERT INTO queue VALUES (?)", [SQLValue(start.nanosecondsSince1970)])
        }
    }

    private static func create(_ file: String) throws(PositionQueueError) {
        let descriptor = open(file, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw PositionQueueError(file, Errno()) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PositionQueueError(file, Errno()) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw PositionQueueError(file, Errno(EPERM))
        }
    }

    /// The number of the last position; 0 if there is none.
    func lastSequence() throws(PositionQueueError) -> Int64 {
        try database.rows("SELECT max(sequence) FROM position") { (row) throws(PositionQueueError) in
            try row.optionalInteger(0, as: Int64.self) ?? 0
        }.first ?? 0
    }

    /// Adds a position that has a number. Returns the number of older ones that gave way.
    func append(_ record: ShareRecord, now: Timestamp) throws(PositionQueueError) -> Int {
        guard let sequence = record.sequence else { return 0 }
        let location = record.location
        let values = [
            location.coordinate.latitude * 1e7, location.coordinate.longitude * 1e7,
            location.horizontalAccuracy.map { $0 * 100 }, location.verticalAccuracy.map { $0 * 100 },
            location.altitude.map { $0 * 100 }, location.speed.map { $0 * 100 }, location.course.map { $0 * 100 },
        ].map { SQLValue(optional: $0.flatMap { Int64(exactly: $0.rounded()) }) }
        try database.run(
            "INSERT INTO position VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [SQLValue(sequence), SQLValue(location.timestamp.nanosecondsSince1970 / 1_000_000)] + values)
        guard sequence % Self.pruningInterval == 0 else { return 0 }
        try database.run("DELETE FROM position WHERE sequence <= ?", [SQLValue(sequence - Self.capacity)])
        return try changes() + prune(now)
    }

    /// The oldest positions. Those that are too old are removed.
    func first(_ limit: Int, now: Timestamp) throws(PositionQueueError) -> [ShareRecord] {
        _ = try prune(now)
        return try database.rows(
            """
            SELECT time, latitude, longitude, accuracy, vertical_accuracy, altitude, speed, course, sequence
            FROM position ORDER BY sequence LIMIT ?
            """, [SQLValue(limit)]
        ) { (row) throws(PositionQueueError) in
            func value(_ column: Int32, _ scale: Double) throws(PositionQueueError) -> Double? {
                try row.optionalInteger(column, as: Int64.self).map { Double($0) / scale }
            }
            guard let latitude = try value(1, 1e7), let longitude = try value(2, 1e7),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else { throw row.unexpected(1) }
            let milliseconds = try row.integer(0, as: Int64.self)
            var location = Location(
                coordinate: coordinate, timestamp: Timestamp(nanosecondsSince1970: milliseconds * 1_000_000))
            (location.horizontalAccuracy, location.verticalAccuracy) = (try value(3, 100), try value(4, 100))
            (location.altitude, location.speed, location.course) =
                (try value(5, 100), try value(6, 100), try value(7, 100))
            return ShareRecord(location, sequence: try row.integer(8))
        }
    }

    /// Removes positions by their numbers.
    func remove(_ sequences: [Int64]) throws(PositionQueueError) {
        func remove(_ sequence: Int64) throws(PositionQueueError) {
            try database.run("DELETE FROM position WHERE sequence = ?", [SQLValue(sequence)])
        }
        if sequences.count == 1 { return try remove(sequences[0]) }
        try database.transaction { () throws(PositionQueueError) in
            for sequence in sequences { try remove(sequence) }
        }
    }

    /// The number of positions in the file of a queue; 0 if there is none.
    static func count(_ file: String) throws(PositionQueueError) -> Int {
        guard access(file, F_OK) == 0 else { return 0 }
        let database = try SQLDatabase<PositionQueueError>(path: file)
        try database.run("PRAGMA busy_timeout = 1000")
        return try database.rows("SELECT count(*) FROM position") { (row) throws(PositionQueueError) in
            try row.integer(0, as: Int.self)
        }.first ?? 0
    }

    /// Removes the oldest positions if they are too old, a hundred at most at a time.
    private func prune(_ now: Timestamp) throws(PositionQueueError) -> Int {
        let oldest = now.advanced(by: .zero - Self.greatestAge).nanosecondsSince1970 / 1_000_000
        try database.run(
            """
            DELETE FROM position
            WHERE sequence IN (SELECT sequence FROM position ORDER BY sequence LIMIT 100) AND time < ?
            """, [SQLValue(oldest)])
        return try changes()
    }

    private func changes() throws(PositionQueueError) -> Int {
        try database.rows("SELECT changes()") { (row) throws(PositionQueueError) in try row.integer(0, as: Int.self) }
            .first ?? 0
    }
}

/// A failure of the file of a queue.
package struct PositionQueueError: Error, Hashable, CustomStringConvertible {
    /// True if the content of the file is damaged.
    let isDamaged: Bool
    /// A sentence.
    package let description: String

    init(_ path: String, _ error: Errno) {
        isDamaged = false
        description = "\(path) cannot be used: \(error)."
    }
}

extension PositionQueueError: SQLFailure {
    package init(sqliteCode: Int32, systemError: Int32, path: String, detail: String) {
        isDamaged = [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR].contains(sqliteCode & 0xff)
        description = isDamaged ? "\(path) is damaged: \(detail)." : "\(path) cannot be used: \(detail)."
    }
}
