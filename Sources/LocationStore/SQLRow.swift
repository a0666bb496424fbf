import CSQLite

/// The row a statement has arrived at. What is not of the type asked for means that the file is damaged.
struct SQLRow {
    let statement: OpaquePointer
    let path: String

    /// All values, in the order of the columns.
    var values: [SQLValue] { (0..<sqlite3_column_count(statement)).map { value($0) } }

    func integer<T: FixedWidthInteger>(_ column: Int32, as type: T.Type = T.self) throws(StoreError) -> T {
        guard case .integer(let integer) = value(column), let result = T(exactly: integer) else {
            throw unexpected(column)
        }
        return result
    }

    func optionalReal(_ column: Int32) throws(StoreError) -> Double? {
        switch value(column) {
        case .null: return nil
        case .real(let real): return real
        default: throw unexpected(column)
        }
    }

    func text(_ column: Int32) throws(StoreError) -> String {
        guard case .text(let text) = value(column) else { throw unexpected(column) }
        return text
    }

    func blob(_ column: Int32) throws(StoreError) -> [UInt8] {
        guard case .blob(let bytes) = value(column) else { throw unexpected(column) }
        return bytes
    }

    func word<T: RawRepresentable<String>>(_ column: Int32, as type: T.Type = T.self) throws(StoreError) -> T {
        guard let value = T(rawValue: try text(column)) else { throw unexpected(column) }
        return value
    }

    func optionalWord<T: RawRepresentable<String>>(
        _ column: Int32, as type: T.Type = T.self
    ) throws(StoreError) -> T? {
        value(column) == .null ? nil : try word(column)
    }

    /// The error for a column whose value makes no sense.
    func unexpected(_ column: Int32) -> StoreError {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "column \(column)"
        return StoreError(code: .damaged, path: path, detail: "a row has an impossible value for \(name)")
    }

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
        // The length is that of the form the pointer was asked for in, so it is asked for afterwards.
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
