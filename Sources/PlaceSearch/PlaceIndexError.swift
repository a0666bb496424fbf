import CSQLite
import SQLite

/// An error in reading or writing a place index.
public struct PlaceIndexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The fault, as the end of a sentence.
    public let reason: String

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
            case SQLITE_INTERRUPT: "a query takes too long; \(Self.remedy)"
            case SQLITE_TOOBIG: "it has a value that is too long; \(Self.remedy)"
            default: detail
            }
        self.init(path: path, reason: reason)
    }
}
