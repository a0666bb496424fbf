import CSQLite

/// An error that can be made from a result code of SQLite.
package protocol SQLFailure: Error {
    /// Creates an error from a result code, primary or extended (<https://sqlite.org/rescode.html>), for the file at
    /// `path`.
    ///
    /// - Parameters:
    ///   - systemError: the `errno` of the underlying system call, or 0.
    ///   - detail: SQLite's error message.
    init(sqliteCode: Int32, systemError: Int32, path: String, detail: String)
}

/// A connection to one database file, to be used by one thread at a time. Wraps the part of SQLite's C interface that
/// this project needs.
package final class SQLDatabase<Failure: SQLFailure> {
    package let path: String
    let connection: OpaquePointer
    /// Prepared statements, kept for reuse. There are few, because the texts are the program's own.
    private var statements: [String: OpaquePointer] = [:]
    /// The time limit of each query, of a foreign file.
    var deadline: SQLDeadline?

    /// Opens an existing file of this program's own.
    package convenience init(path: String) throws(Failure) {
        try self.init(name: path, path: path, flags: SQLITE_OPEN_READWRITE)
    }

    /// Opens `name`, a path or a URI, which errors call `path`.
    init(name: String, path: String, flags: Int32) throws(Failure) {
        var connection: OpaquePointer?
        // No mutexes: only one thread at a time uses the connection.
        let result = sqlite3_open_v2(
            name, &connection, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let connection else {
            throw Failure(
                sqliteCode: result, systemError: 0, path: path, detail: String(cString: sqlite3_errstr(result)))
        }
        self.path = path
        self.connection = connection
        if result != SQLITE_OK { throw error() }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(connection)
    }

    /// Runs a statement and ignores its rows.
    package func run(_ sql: SQLText, _ parameters: [SQLValue] = []) throws(Failure) {
        try forEachRow(sql, parameters) { (_) throws(Failure) in }
    }

    /// Runs a query and maps each of its rows.
    package func rows<T>(
        _ sql: SQLText, _ parameters: [SQLValue] = [], read: (SQLRow<Failure>) throws(Failure) -> T
    ) throws(Failure) -> [T] {
        var results: [T] = []
        try forEachRow(sql, parameters) { row throws(Failure) in results.append(try read(row)) }
        return results
    }

    /// Runs a query and calls `body` with each of its rows.
    package func forEachRow(
        _ sql: SQLText, _ parameters: [SQLValue] = [], _ body: (SQLRow<Failure>) throws(Failure) -> Void
    ) throws(Failure) {
        deadline?.restart()
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (value, index) in zip(parameters, Int32(1)...) {
            guard bind(value, to: index, of: statement) == SQLITE_OK else { throw error() }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try body(SQLRow<Failure>(statement: statement, path: path))
            case SQLITE_DONE: return
            default: throw error()
            }
        }
    }

    /// Runs `body` in a transaction, which is rolled back if `body` throws. The changes are on disk on return.
    package func transaction(_ body: () throws(Failure) -> Void) throws(Failure) {
        try run("BEGIN EXCLUSIVE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            // After some errors SQLite has rolled back by itself. Report the first error.
            if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private func prepared(_ sql: SQLText) throws(Failure) -> OpaquePointer {
        if let statement = statements[sql.text] { return statement }
        var statement: OpaquePointer?
        guard
            sqlite3_prepare_v3(connection, sql.text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
                == SQLITE_OK,
            let statement
        else { throw error() }
        statements[sql.text] = statement
        return statement
    }

    private func bind(_ value: SQLValue, to index: Int32, of statement: OpaquePointer) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
        case .real(let real): return sqlite3_bind_double(statement, index, real)
        case .text(let text):
            return locationd_bind_text(statement, index, text, Int32(text.utf8.count))
        case .blob(let bytes):
            return bytes.withUnsafeBytes { locationd_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
        }
    }

    func error() -> Failure {
        Failure(
            sqliteCode: sqlite3_extended_errcode(connection), systemError: sqlite3_system_errno(connection),
            path: path, detail: String(cString: sqlite3_errmsg(connection)))
    }
}
