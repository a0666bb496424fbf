import CSQLite
import SQLite

/// Why an archive of tiles cannot be read.
public struct TileArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The fault.
    public let reason: String
    /// True if an answer took too long, as the next one would.
    var isTooSlow = false

    init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    /// `world.mbtiles is no archive of tiles that can be read: …`
    public var description: String { "\(path) is no archive of tiles that can be read: \(reason)." }
}

extension TileArchiveError: SQLFailure {
    package init(sqliteCode: Int32, systemError: Int32, path: String, detail: String) {
        let reason =
            switch sqliteCode & 0xFF {
            case SQLITE_INTERRUPT: "finding a tile in it takes too long"
            case SQLITE_TOOBIG: "it has a value that is too long"
            default: detail
            }
        self.init(path: path, reason: reason)
        isTooSlow = sqliteCode & 0xFF == SQLITE_INTERRUPT
    }
}
