import CSQLite

/// A connection to one file, used by one thread at a time. The whole of SQLite's C interface that the store needs.
final class SQLDatabase {
    let path: String
    private let connection: OpaquePointer
    /// Prepared once each: the texts are literals of this module, so there are few.
    private var statements: [String: OpaquePointer] = [:]

    /// Opens a file that exists.
    init(path: String) throws(StoreError) {
        var connection: OpaquePointer?
        // No mutexes, since one thread at a time uses it.
        let result = sqlite3_open_v2(
            path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let connection else {
            throw StoreError(code: .failed, path: path, detail: String(cString: sqlite3_errstr(result)))
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
    func run(_ sql: StaticString, _ parameters: [SQLValue] = []) throws(StoreError) {
        _ = try rows(sql, parameters) { (_) throws(StoreError) in }
    }

    /// Runs a query and reads each of its rows.
    func rows<T>(
        _ sql: StaticString, _ parameters: [SQLValue] = [], read: (SQLRow) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
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
            case SQLITE_ROW: results.append(try read(SQLRow(statement: statement, path: path)))
            case SQLITE_DONE: return results
            default: throw error()
            }
        }
    }

    /// Does all of `body` or, if it throws, nothing. What it did is on the disk on return.
    func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
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

    private func prepared(_ sql: StaticString) throws(StoreError) -> OpaquePointer {
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

    private func error() -> StoreError {
        StoreError(
            sqliteCode: sqlite3_extended_errcode(connection), systemError: sqlite3_system_errno(connection),
            path: path, detail: String(cString: sqlite3_errmsg(connection)))
    }
}
