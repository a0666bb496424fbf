import CSQLite
import Glibc

/// The limits for a file that anybody may have made.
package struct ForeignFileLimits: Hashable, Sendable {
    /// The largest value and the largest row, in bytes.
    package var length: Int32
    /// The time that one query may take.
    package var queryTime: Duration

    package init(length: Int32, queryTime: Duration) {
        self.length = length
        self.queryTime = queryTime
    }
}

extension SQLDatabase {
    /// Opens a file that anybody may have made, for reading.
    ///
    /// Nothing that is written in the file is executed: views and triggers are off, constraints are not evaluated, and
    /// ``hasTable(_:columns:)`` refuses virtual tables and generated columns. A value beyond the length limit, or a query
    /// beyond the time limit, is an error. The file is taken as it is, without locks; journals beside it are ignored.
    package convenience init(foreignFile path: String, limits: ForeignFileLimits) throws(Failure) {
        var status = stat()
        // Opening a pipe would wait for its other end.
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(sqliteCode: SQLITE_CANTOPEN, systemError: 0, path: path, detail: "it is not a file")
        }
        try self.init(
            name: "file:\(Self.escaped(path))?mode=ro&immutable=1", path: path,
            flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        ] as [(Int32, Int32)] {
            guard locationd_configure(connection, option, value) == SQLITE_OK else { throw error() }
        }
        for (category, limit) in [
            (SQLITE_LIMIT_LENGTH, limits.length), (SQLITE_LIMIT_SQL_LENGTH, 100_000), (SQLITE_LIMIT_COLUMN, 100),
            (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
        ] {
            sqlite3_limit(connection, category, limit)
        }
        let deadline = SQLDeadline(limit: limits.queryTime)
        self.deadline = deadline
        deadline.watch(connection)
        // A file can ask for a cache of its own size.
        try run("PRAGMA cache_size = -2048")
        try run("PRAGMA cell_size_check = ON")
        try run("PRAGMA ignore_check_constraints = ON")
        try run("PRAGMA query_only = ON")
    }

    /// True if `name` is an ordinary table with these columns. A view, a virtual table and one with generated columns are not:
    /// reading them would execute what is written in the file.
    package func hasTable(_ name: String, columns: Set<String>) throws(Failure) -> Bool {
        let roots = try rows(
            "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE", [.text(name)]
        ) {
            (row) throws(Failure) in try row.integer(0, as: Int64.self)
        }
        guard let root = roots.first, roots.count == 1, root > 0 else { return false }
        let found = try rows("SELECT name, hidden FROM pragma_table_xinfo(?)", [.text(name)]) {
            (row) throws(Failure) in
            (name: try row.text(0).lowercased(), isHidden: try row.integer(1, as: Int.self) != 0)
        }
        return found.allSatisfy { !$0.isHidden } && columns.isSubset(of: found.map(\.name))
    }

    /// The size of the file now, in bytes.
    package var fileSize: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Gives all queries from now on another time limit.
    package func limitQueries(to time: Duration) { deadline?.limit = time }

    /// The path as a URI has it.
    private static func escaped(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return path.utf8.map { byte -> String in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber || "/-._".contains(character))
            return isPlain ? String(character) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }.joined()
    }
}

/// Ends a query that takes too long.
final class SQLDeadline {
    var limit: Duration
    private var end = ContinuousClock.now

    init(limit: Duration) { self.limit = limit }

    func restart() { end = .now + limit }

    /// Watches a connection, which must not outlive this object.
    func watch(_ connection: OpaquePointer) {
        // A thousand steps are some ten microseconds.
        sqlite3_progress_handler(
            connection, 1000,
            { context in
                guard let context else { return 0 }
                let deadline = Unmanaged<SQLDeadline>.fromOpaque(context).takeUnretainedValue()
                return deadline.end < .now ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
