import CSQLite
import Glibc
import LocationModel
import LocationSharing
import POSIXSupport
import SQLite

/// The positions that a service does not have yet, in a file with mode 0600: one table of SQLite.
///
/// A position is written before it is sent, and removed when the service has it, so a kill loses none and sends one message
/// twice at most. A loss of power may lose the last moments (`synchronous=NORMAL`). What is removed is overwritten with zeros, at the
/// latest by ``erase()`` and when the file is closed or opened.
///
/// Not `Sendable`: one thread uses it.
final class PositionQueue {
    /// The number of positions, and at most a hundred more, of which the oldest give way: 4 MB.
    static let capacity: Int64 = 100_000
    /// The age from which a position is removed.
    static let greatestAge = Duration.seconds(7 * 86_400)

    /// The number of positions after which the oldest ones are looked at, which costs more than to add one.
    private static let pruningInterval: Int64 = 100

    /// The numbers that positions can have: those beyond are of a damaged file, and leave none for the next ones.
    private static let sequences: ClosedRange<Int64> = 1...(1 << 53)

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
        try database.run("PRAGMA wal_autocheckpoint = 400")
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
        // A program that was killed may have left removed positions.
        try erase()
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
        try database.rows(
            "SELECT max(sequence) FROM position WHERE sequence BETWEEN ? AND ?",
            [SQLValue(Self.sequences.lowerBound), SQLValue(Self.sequences.upperBound)]
        ) { (row) throws(PositionQueueError) in
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

    /// The oldest positions. Those that are too old are removed, and those that are damaged: no fix has such numbers.
    ///
    /// - Returns: the positions, and the number of damaged ones that were removed.
    func first(_ limit: Int, now: Timestamp) throws(PositionQueueError) -> (records: [ShareRecord], damaged: Int) {
        var damaged = 0
        while true {
            _ = try prune(now)
            var (records, bad): ([ShareRecord], [Int64]) = ([], [])
            try database.forEachRow(
                """
                SELECT time, latitude, longitude, accuracy, vertical_accuracy, altitude, speed, course, sequence
                FROM position ORDER BY sequence LIMIT ?
                """, [SQLValue(limit)]
            ) { (row) throws(PositionQueueError) in
                let sequence = try row.integer(8, as: Int64.self)
                if let record = Self.record(row.values, sequence) {
                    records.append(record)
                } else {
                    bad.append(sequence)
                }
            }
            guard !bad.isEmpty else { return (records, damaged) }
            try remove(bad)
            damaged += bad.count
        }
    }

    /// The position in the columns of a row; `nil` if it is damaged.
    private static func record(_ values: [SQLValue], _ sequence: Int64) -> ShareRecord? {
        var numbers: [Int64?] = []
        for value in values {
            switch value {
            case .integer(let number): numbers.append(number)
            case .null: numbers.append(nil)
            case .real, .text, .blob: return nil
            }
        }
        func value(_ column: Int, _ scale: Double, _ range: ClosedRange<Double>) -> Double?? {
            guard let number = numbers[column] else { return .some(nil) }
            let value = Double(number) / scale
            return range.contains(value) ? .some(value) : nil
        }
        let greatest = 1e8
        guard sequences.contains(sequence), let milliseconds = numbers[0],
            case (let nanoseconds, false) = milliseconds.multipliedReportingOverflow(by: 1_000_000),
            let latitude = numbers[1], let longitude = numbers[2],
            let coordinate = Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7),
            let horizontalAccuracy = value(3, 100, 0...greatest), let verticalAccuracy = value(4, 100, 0...greatest),
            let altitude = value(5, 100, -greatest...greatest), let speed = value(6, 100, 0...greatest),
            let course = value(7, 100, 0...360)
        else { return nil }
        var location = Location(coordinate: coordinate, timestamp: Timestamp(nanosecondsSince1970: nanoseconds))
        (location.horizontalAccuracy, location.verticalAccuracy) = (horizontalAccuracy, verticalAccuracy)
        (location.altitude, location.speed) = (altitude, speed)
        // 359.996 was written as 360.
        location.course = course.map { $0 == 360 ? 0 : $0 }
        return ShareRecord(location, sequence: sequence)
    }

    /// Removes positions by their numbers. Their bytes may stay in the write-ahead log until ``erase()``.
    func remove(_ sequences: [Int64]) throws(PositionQueueError) {
        try database.transaction { () throws(PositionQueueError) in
            for sequence in sequences {
                try database.run("DELETE FROM position WHERE sequence = ?", [SQLValue(sequence)])
            }
        }
    }

    /// Erases the bytes of removed positions from the write-ahead log, which has the pages as they were. The disk writes three times.
    func erase() throws(PositionQueueError) { try database.run("PRAGMA wal_checkpoint(TRUNCATE)") }

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
