import CSQLite

/// An error that can say what SQLite says.
package protocol SQLFailure: Error {
    /// A result code of SQLite, primary or extended (<https://sqlite.org/rescode.html>), for the file at `path`.
    ///
    /// - Parameters:
    ///   - systemError: The `errno` that was the reason, or 0.
    ///   - detail: What happened, as SQLite says it.
    init(sqliteCode: Int32, systemError: Int32, path: String, detail: String)
}

/// A connection to one file, used by one thread at a time. The whole of SQLite's C interface that is needed here.
package final class SQLDatabase<Failure: SQLFailure> {
    package let path: String
    private let connection: OpaquePointer
    /// Prepared once each: the texts are literals of this module, so there are few.
    private var statements: [String: OpaquePointer] = [:]

    /// Opens a file that exists.
    package init(path: String, isReadOnly: Bool = false) throws(Failure) {
        var connection: OpaquePointer?
        // No mutexes, since one thread at a time uses it.
        let result = sqlite3_open_v2(
            path, &connection,
            (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
            nil)
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

    /// Runs a statement that gives no rows, or none of interest.
    package func run(_ sql: StaticString, _ parameters: [SQLValue] = []) throws(Failure) {
        _ = try rows(sql, parameters) { (_) throws(Failure) in }
    }

    /// Runs a query and reads each of its rows.
    package func rows<T>(
        _ sql: StaticString, _ parameters: [SQLValue] = [], read: (SQLRow<Failure>) throws(Failure) -> T
    ) throws(Failure) -> [T] {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (value, index) in zip(parameters, Int32(1)...) {
            guard bind(value, to: index, of: statement) == SQLITE_OK else { throw error() }
        }
        var results: [T] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: results.append(try read(SQLRow<Failure>(statement: statement, path: path)))
            case SQLITE_DONE: return results
            default: throw error()
            }
        }
    }

    /// Does all of `body` or, if it throws, nothing. What it did is on the disk on return.
    package func transaction(_ body: () throws(Failure) -> Void) throws(Failure) {
        try run("BEGIN EXCLUSIVE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            // After some errors SQLite has rolled back by itself. The first error is the one to tell.
            if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private func prepared(_ sql: StaticString) throws(Failure) -> OpaquePointer {
        let text = sql.description
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        guard
            sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw error() }
        statements[text] = statement
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

    private func error() -> Failure {
        Failure(
            sqliteCode: sqlite3_extended_errcode(connection), systemError: sqlite3_system_errno(connection),
            path: path, detail: String(cString: sqlite3_errmsg(connection)))
    }
}
