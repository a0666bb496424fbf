import CSQLite
import SQLite

/// An error in reading or writing a place index.
public struct PlaceIndexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The fault, as the end of a sentence.
    public let reason: String
    /// The cause of the error.
    package let subject: Subject

    /// The cause of an error.
    package enum Subject: Hashable, Sendable {
        /// The file, which answers no query.
        case file
        /// One query. The file answers others.
        case query
    }

    init(path: String, reason: String, subject: Subject = .file) {
        self.path = path
        self.reason = reason
        self.subject = subject
    }

    static let remedy = "run locationctl map add for its region again"

    /// A sentence for people, such as `/usr/share/…/world.places: it is not an index of places.`
    public var description: String { "\(path): \(reason)." }
}

extension PlaceIndexError: SQLFailure {
    package init(sqliteCode: Int32, systemError: Int32, path: String, detail: String) {
        let reason =
            switch sqliteCode & 0xFF {
            case SQLITE_FULL: "the disk is full"
            case SQLITE_NOTADB, SQLITE_CORRUPT: "it is damaged or not an index of places (\(detail)); \(Self.remedy)"
            case SQLITE_CANTOPEN: "it cannot be opened: \(detail)"
            case SQLITE_INTERRUPT: "this search takes too long; try fewer or other words"
            // SQLite's words are about statements, and may have the text of the query in them.
            case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE: "this search failed; try other words"
            case SQLITE_NOMEM: "there is not enough memory for this search"
            case SQLITE_TOOBIG: "it has a value that is too long; \(Self.remedy)"
            default: detail
            }
        let subject: Subject =
            switch sqliteCode & 0xFF {
            case SQLITE_ERROR, SQLITE_INTERRUPT, SQLITE_MISUSE, SQLITE_NOMEM, SQLITE_RANGE: .query
            default: .file
            }
        self.init(path: path, reason: reason, subject: subject)
    }
}
