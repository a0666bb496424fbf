import CSQLite
import FoundationEssentials
import SQLAccess
import Synchronization

/// An archive of tiles in one SQLite file (MBTiles 1.3, <https://github.com/mapbox/mbtiles-spec>).
public final class MBTiles: TileSource, StoredTiles {
    /// The description in the archive's metadata.
    public let description: TileSourceDescription
    private let path: String
    private let database: Mutex<SQLDatabase<TileArchiveError>>

    /// Opens the archive at `path`, which is read only. This blocks.
    ///
    /// - Parameter name: The source's name; by default that of the file, without `.mbtiles`.
    /// - Throws: ``TileArchiveError``
    public init(path: String, name: String? = nil) throws(TileArchiveError) {
        let database = try SQLDatabase<TileArchiveError>(path: path, isReadOnly: true)
        let journal = try database.rows("PRAGMA journal_mode") { (row) throws(TileArchiveError) in try row.text(0) }
        // Nobody writes to an installed archive. The shared lock is kept, since taking it costs more than reading a tile. With a
        // write-ahead log, which some programs leave behind, that would take leave to write.
        if journal != ["wal"] { try database.run("PRAGMA locking_mode = EXCLUSIVE") }
        description = try Self.describe(database, name: name ?? Self.name(of: path))
        self.path = path
        self.database = Mutex(database)
    }

    /// The tile at `path`; `nil` where there is none. Blocks for a look-up by a primary key: microseconds.
    public func tile(at path: TilePath) throws(TileArchiveError) -> Tile? {
        // Rows are counted from the south there.
        let parameters = [path.z, path.x, (1 << path.z) - 1 - path.y].map { SQLValue($0) }
        let bytes = try database.withLock { (database) throws(TileArchiveError) in
            try database.rows(
                "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?", parameters
            ) { (row) throws(TileArchiveError) in try row.blob(0) }
        }
        return bytes.first.map { Tile(bytes: $0, format: description.format) }
    }

    package func checkWhole() throws(TileArchiveError) {
        let findings = try database.withLock { (database) throws(TileArchiveError) in
            try database.rows("PRAGMA quick_check(1)") { (row) throws(TileArchiveError) in try row.text(0) }
        }
        guard findings == ["ok"] else {
            throw TileArchiveError(path: path, reason: "it is damaged (\(findings.first?.prefix(200) ?? "empty"))")
        }
    }

    package func anyTile() throws(TileArchiveError) -> (path: TilePath, tile: Tile)? {
        let level = description.zoomLevels.upperBound
        let places = try database.withLock { (database) throws(TileArchiveError) in
            try database.rows(
                "SELECT tile_column, tile_row FROM tiles WHERE zoom_level = ? LIMIT 1", [SQLValue(level)]
            ) { (row) throws(TileArchiveError) in (try row.integer(0, as: Int.self), try row.integer(1, as: Int.self)) }
        }
        guard let (x, row) = places.first else { return nil }
        guard let path = TilePath(z: level, x: x, y: (1 << level) - 1 - row) else {
            throw TileArchiveError(path: self.path, reason: "it has tiles in impossible columns and rows")
        }
        return try tile(at: path).map { (path, $0) }
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.hasSuffix(".mbtiles") ? file.dropLast(8) : file)
    }

    private static func describe(
        _ database: SQLDatabase<TileArchiveError>, name: String
    ) throws(TileArchiveError) -> TileSourceDescription {
        let rows = try database.rows("SELECT name, value FROM metadata") { (row) throws(TileArchiveError) in
            (try row.text(0), try row.text(1))
        }
        let metadata = Dictionary(rows) { first, _ in first }
        let word = metadata["format"] == "jpeg" ? "jpg" : metadata["format"]
        guard let format = word.flatMap({ Tile.Format(rawValue: $0) }) else {
            throw TileArchiveError(path: database.path, reason: "its metadata name no format of pbf, png, jpg or webp")
        }
        // Where the metadata do not say, the tiles do.
        let levels = try database.rows("SELECT min(zoom_level), max(zoom_level) FROM tiles") {
            (row) throws(TileArchiveError) in (try row.integer(0, as: Int.self), try row.integer(1, as: Int.self))
        }
        guard let levels = levels.first, levels.0 <= levels.1, (0...24).contains(levels.0), levels.1 <= 24 else {
            throw TileArchiveError(path: database.path, reason: "it has tiles of impossible zoom levels")
        }
        // The specification knows no other order of rows, but some programs write one, and say so.
        if let scheme = metadata["scheme"], scheme.lowercased() != "tms" {
            throw TileArchiveError(
                path: database.path,
                reason: "its rows are in the order “\(scheme.prefix(20))”, and MBTiles has only tms")
        }
        let bounds = metadata["bounds"]?.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) }
        return TileSourceDescription(
            name: name, format: format, zoomLevels: levels.0...levels.1, bounds: bounds.flatMap(TileMetadata.bounds),
            tileSize: 256, attribution: metadata["attribution"].map { TileMetadata.plainText($0) } ?? "",
            layers: metadata["json"].map { TileMetadata.TileJSON.read($0.utf8).layers } ?? [])
    }
}
