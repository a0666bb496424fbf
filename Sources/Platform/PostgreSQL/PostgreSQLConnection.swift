import CPostgreSQL
import Glibc

/// A connection to a PostgreSQL database, by libpq.
///
/// Not `Sendable`: one thread uses it, which its methods block. After a failure whose ``PostgreSQLFailure/isOfConnection`` is true,
/// another connection has to take its place.
package final class PostgreSQLConnection {
    let handle: OpaquePointer

    /// Connects.
    ///
    /// - Parameters:
    ///   - database: a connection string or URI, as libpq takes them: `postgresql:///fleet`.
    ///   - program: the name of the program for the server's list of connections.
    package init(_ database: String, program: String) throws(PostgreSQLFailure) {
        // Those before the database are defaults, which it may replace. A server that a pulled cable hides is noticed within a minute.
        let settings: KeyValuePairs = [
            "fallback_application_name": program, "connect_timeout": "10", "tcp_user_timeout": "60000",
            "dbname": database, "client_encoding": "UTF8",
        ]
        let handle = Self.withStrings(settings.map(\.key)) { keys in
            Self.withStrings(settings.map(\.value)) { values in PQconnectdbParams(keys, values, 1) }
        }
        guard let handle else { throw PostgreSQLFailure(state: nil, words: "no memory", isOfConnection: true) }
        guard PQstatus(handle) == CONNECTION_OK else {
            defer { PQfinish(handle) }
            throw PostgreSQLFailure(state: nil, words: Self.words(handle), isOfConnection: true)
        }
        self.handle = handle
        // Notices, such as that a table exists already.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        try run("SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'")
    }

    deinit { PQfinish(handle) }

    /// Runs statements without parameters.
    package func run(_ statements: String) throws(PostgreSQLFailure) {
        PQclear(try checked(PQexec(handle, statements), [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY]))
    }

    /// Runs a statement with the parameters `$1`, `$2` and so on, and returns the rows that it yields, as texts.
    @discardableResult
    package func rows(_ statement: String, _ parameters: [String?] = []) throws(PostgreSQLFailure) -> [[String?]] {
        let answer = Self.withStrings(parameters) { values in
            PQexecParams(handle, statement, CInt(parameters.count), nil, values, nil, nil, 0)
        }
        let result = try checked(answer, [PGRES_COMMAND_OK, PGRES_TUPLES_OK])
        defer { PQclear(result) }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }

    /// Runs a `COPY … FROM STDIN` with lines, each of which ends with a line feed. The server takes in the first ones while the next
    /// are made.
    package func copy(_ statement: String, _ lines: some Sequence<String>) throws(PostgreSQLFailure) {
        PQclear(try checked(PQexec(handle, statement), [PGRES_COPY_IN]))
        for var line in lines {
            let isSent = line.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { PQputCopyData(handle, $0.baseAddress, CInt($0.count)) }
            }
            guard isSent == 1 else { throw failure(nil) }
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw failure(nil) }
        try finishCopy()
    }

    /// Runs a `COPY … TO STDOUT`, and passes on its rows, each in one piece.
    package func copyOut(
        _ statement: String, _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(PostgreSQLFailure) {
        PQclear(try checked(PQexec(handle, statement), [PGRES_COPY_OUT]))
        var row: UnsafeMutablePointer<CChar>?
        while case let count = PQgetCopyData(handle, &row, 0), count > 0 {
            take(UnsafeRawBufferPointer(start: row, count: Int(count)))
            PQfreemem(row)
        }
        try finishCopy()
    }

    /// Reads the results that follow a copy.
    private func finishCopy() throws(PostgreSQLFailure) {
        var outcome: Result<Void, PostgreSQLFailure> = .success(())
        // The last result is followed by none.
        while let result = PQgetResult(handle) {
            do throws(PostgreSQLFailure) {
                PQclear(try checked(result, [PGRES_COMMAND_OK]))
            } catch {
                outcome = .failure(error)
            }
        }
        try outcome.get()
    }

    /// A text as a field of a line for ``copy(_:_:)``; `nil` as one without a value.
    package static func field(_ text: String?) -> String {
        guard let text else { return "\\N" }
        // Nearly all are as they are.
        guard text.utf8.contains(where: { $0 == 0x5C || $0 < 0x20 }) else { return text }
        return String(
            text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
                switch scalar {
                case "\\": ["\\", "\\"]
                case "\t": ["\\", "t"]
                case "\n": ["\\", "n"]
                case "\r": ["\\", "r"]
                // PostgreSQL's text has no such character.
                case "\0": []
                default: [scalar]
                }
            }.map(Character.init))
    }

    /// Runs a body in a transaction, which takes effect unless the body throws.
    package func transaction<Value>(
        _ body: () throws(PostgreSQLFailure) -> Value
    ) throws(PostgreSQLFailure) -> Value {
        try run("BEGIN")
        do throws(PostgreSQLFailure) {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // A connection that is gone has rolled back already.
            if !error.isOfConnection { try run("ROLLBACK") }
            throw error
        }
    }

    private func checked(
        _ result: OpaquePointer?, _ expected: [ExecStatusType]
    ) throws(PostgreSQLFailure) -> OpaquePointer? {
        let status = PQresultStatus(result)
        guard expected.contains(where: { $0 == status }) else {
            defer { PQclear(result) }
            throw failure(result)
        }
        return result
    }

    func failure(_ result: OpaquePointer?) -> PostgreSQLFailure {
        let state = PQresultErrorField(result, CInt(UInt8(ascii: "C"))).map { String(cString: $0) }
        let primary = PQresultErrorField(result, CInt(UInt8(ascii: "M"))).map { String(cString: $0) }
        return PostgreSQLFailure(
            state: state, words: primary ?? Self.words(handle), isOfConnection: PQstatus(handle) != CONNECTION_OK)
    }

    /// The first line of libpq's words: what follows guesses at the cause.
    private static func words(_ handle: OpaquePointer) -> String {
        let lines = String(cString: PQerrorMessage(handle)).split(separator: "\n")
        return lines.first.map(String.init) ?? "unknown error"
    }

    private static func withStrings<Value>(
        _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = texts.map { $0.flatMap { strdup($0) } }
        defer { for copy in copies { free(copy) } }
        return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// The reason for a failed request to a database.
package struct PostgreSQLFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of the error by the SQL standard, such as `42501`; `nil` if there is none.
    package let state: String?
    /// What libpq or the server says, in the server's language.
    package let words: String
    /// True if there is no connection, or none any more.
    package let isOfConnection: Bool

    package var description: String { words }
}
