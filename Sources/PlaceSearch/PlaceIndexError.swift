import CSQLite
import SQLite

/// An error in reading or writing a place index.
public struct PlaceIndexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The fault, as the end of a sentence.
    public let reason: String

    /// A sentence for people, such as `/usr/share/…/world.places: it is no index of places. Make it again with
    /// locationctl map add.`
    public var description: String { "\(path): \(reason)." }
}

extension PlaceIndexError: SQLFailure {
    package init(sqliteCode: Int32, systemError: Int32, path: String, detail: String) {
        let reason =
            switch sqliteCode & 0xFF {
            case SQLITE_FULL: "the disk is full"
            case SQLITE_NOTADB, SQLITE_CORRUPT: "it is damaged or no index of places (\(detail)); make it again"
            case SQLITE_CANTOPEN: "it cannot be opened: \(detail)"
            case SQLITE_INTERRUPT: "an answer takes too long; make it again"
            case SQLITE_TOOBIG: "it has a value that is too long; make it again"
            default: detail
            }
        self.init(path: path, reason: reason)
    }
}
