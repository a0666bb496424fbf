import Glibc
import PostgreSQL

/// The reason why a database of a fleet was not used.
package enum FleetDatabaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection, in the words of libpq.
    case unreachable(String)
    /// PostGIS is missing, and this user may not create it.
    case noPostGIS(String)
    /// Nothing was recorded there yet.
    case noTables
    /// The tables are of another release.
    case otherVersion
    /// Another program records into the database.
    case otherRecorder
    /// The user of the database has not the rights.
    case notAllowed(String)
    /// Another failure, in the words of the server.
    case other(String)

    /// A sentence with the remedy.
    package var description: String {
        switch self {
        case .unreachable(let words):
            "The database cannot be reached: \(Self.sentence(words)) Give another one with --database; or to create this one, "
                + "run: sudo -u postgres createdb --owner \(Self.user) fleet"
        case .noPostGIS(let words):
            "The database lacks PostGIS: \(Self.sentence(words)) Install postgresql-postgis. Then "
                + "run: sudo -u postgres psql fleet --command 'CREATE EXTENSION postgis'"
        case .noTables:
            "Nothing is recorded in this database. To record into it, run: locationctl fleet record"
        case .otherVersion:
            "The database was made by another release of locationd, whose tables this one does not know."
        case .otherRecorder: "Another recorder writes into this database. Stop it first, or give another database."
        case .notAllowed(let words):
            "The user of the database may not do that: \(Self.sentence(words)) Its owner has to grant the rights on the schema fleet."
        case .other(let words): "The database refuses: \(Self.sentence(words))"
        }
    }

    /// True if it may go away by itself.
    package var isTemporary: Bool {
        switch self {
        case .unreachable, .otherRecorder, .other: true
        case .noPostGIS, .noTables, .otherVersion, .notAllowed: false
        }
    }

    private static func sentence(_ words: String) -> String {
        words.hasSuffix(".") || words.hasSuffix("?") ? words : words + "."
    }

    /// The user who runs this program, under the name that the local server uses.
    private static var user: String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
    }

    static func translating<Value>(
        _ body: () throws(PostgreSQLFailure) -> Value
    ) throws(FleetDatabaseFailure) -> Value {
        do throws(PostgreSQLFailure) {
            return try body()
        } catch {
            if error.isOfConnection { throw .unreachable(error.words) }
            switch error.state {
            case "42501", "25006": throw .notAllowed(error.words)
            // The server is being stopped.
            case "57P01", "57P02", "57P03": throw .unreachable(error.words)
            default: throw .other(error.words)
            }
        }
    }
}
