import CSQLite

/// The current row of a query. A value of another type than the requested one means that the file is damaged.
package struct SQLRow<Failure: SQLFailure> {
    let statement: OpaquePointer
    let path: String

    /// All values in the order of the columns.
    package var values: [SQLValue] { (0..<sqlite3_column_count(statement)).map { value($0) } }

    package func integer<T: FixedWidthInteger>(_ column: Int32, as type: T.Type = T.self) throws(Failure) -> T {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER,
            let result = T(exactly: sqlite3_column_int64(statement, column))
        else { throw unexpected(column) }
        return result
    }

    package func optionalReal(_ column: Int32) throws(Failure) -> Double? {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return nil
        case SQLITE_FLOAT: return sqlite3_column_double(statement, column)
        default: throw unexpected(column)
        }
    }

    package func real(_ column: Int32) throws(Failure) -> Double {
        guard let real = try optionalReal(column) else { throw unexpected(column) }
        return real
    }

    package func text(_ column: Int32) throws(Failure) -> String {
        guard case .text(let text) = value(column) else { throw unexpected(column) }
        return text
    }

    package func optionalText(_ column: Int32) throws(Failure) -> String? {
        isNull(column) ? nil : try text(column)
    }

    package func optionalInteger<T: FixedWidthInteger>(
        _ column: Int32, as type: T.Type = T.self
    ) throws(Failure) -> T? {
        isNull(column) ? nil : try integer(column)
    }

    package func blob(_ column: Int32) throws(Failure) -> [UInt8] {
        guard case .blob(let bytes) = value(column) else { throw unexpected(column) }
        return bytes
    }

    package func word<T: RawRepresentable<String>>(_ column: Int32, as type: T.Type = T.self) throws(Failure) -> T {
        guard let value = T(rawValue: try text(column)) else { throw unexpected(column) }
        return value
    }

    package func optionalWord<T: RawRepresentable<String>>(
        _ column: Int32, as type: T.Type = T.self
    ) throws(Failure) -> T? {
        isNull(column) ? nil : try word(column)
    }

    /// The error for a column with an impossible value.
    package func unexpected(_ column: Int32) -> Failure {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "column \(column)"
        return Failure(
            sqliteCode: SQLITE_CORRUPT, systemError: 0, path: path,
            detail: "a row has an impossible value for \(name)")
    }

    private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    private func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .text(String(decoding: bytes(sqlite3_column_text(statement, column), column), as: UTF8.self))
        case SQLITE_BLOB: .blob(Array(bytes(sqlite3_column_blob(statement, column), column)))
        default: .null
        }
    }

    private func bytes(_ start: UnsafePointer<UInt8>?, _ column: Int32) -> UnsafeRawBufferPointer {
        bytes(UnsafeRawPointer(start), column)
    }

    private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        // `sqlite3_column_bytes` gives the length in the form last requested, so call it after the pointer was
        // requested.
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
