import SQLAccess

/// Why an archive of tiles cannot be read.
public struct TileArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The fault.
    public let reason: String

    /// `world.mbtiles is no archive of tiles that can be read: …`
    public var description: String { "\(path) is no archive of tiles that can be read: \(reason)." }
}

extension TileArchiveError: SQLFailure {
    package init(sqliteCode: Int32, systemError: Int32, path: String, detail: String) {
        self.init(path: path, reason: detail)
    }
}
