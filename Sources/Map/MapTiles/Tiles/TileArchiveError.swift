import CSQLite
import SQLite

/// An error in reading an archive of tiles.
public struct TileArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the archive.
    public let path: String
    /// The fault.
    public let reason: String
    /// True if a query took too long, which the next one would as well.
    var isTooSlow = false

    /// A sentence for people, such as `world.mbtiles is no archive of tiles that can be read: …`.
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
        self.init(path: path, reason: reason, isTooSlow: sqliteCode & 0xFF == SQLITE_INTERRUPT)
    }
}
