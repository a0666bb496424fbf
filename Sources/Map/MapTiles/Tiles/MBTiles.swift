import FoundationEssentials
import Glibc
import SQLite
import Synchronization

/// An archive of tiles in one SQLite file (MBTiles 1.3, <https://github.com/mapbox/mbtiles-spec>).
///
/// The file may be foreign: nothing in it is executed, a value beyond 8 MB is an error, and an archive is not read
/// again after a query of more than two seconds. The specification allows `tiles` to be a view, which could execute
/// anything; the tables below the views of known tile makers are read instead.
public final class MBTiles: TileSource, FileTiles {
    /// The description from the archive's metadata.
    public let description: TileSourceDescription
    private let path: String
    private let queryTime: Duration
    private let layout: Layout
    private let open: Mutex<Open>

    private struct Open {
        let database: SQLDatabase<TileArchiveError>
        /// The error of an archive that was too slow.
        var failure: TileArchiveError?
    }

    /// The greatest size of a tile in bytes, compressed or not. Common ones are less than a tenth of it.
    private static let tileLimit = 8 << 20
    /// The time for scanning a table once. A large archive without an index takes as long as reading the file.
    private static let openingTime = Duration.seconds(20)

    /// Opens the archive at `path` for reading. Blocks.
    ///
    /// - Parameter name: The name of the source; `nil`, the default, for that of the file without `.mbtiles`.
    /// - Throws: ``TileArchiveError``.
    public convenience init(path: String, name: String? = nil) throws(TileArchiveError) {
        try self.init(path: path, name: name, queryTime: .seconds(2))
    }

    /// Opens the archive with another time limit for queries.
    init(path: String, name: String? = nil, queryTime: Duration) throws(TileArchiveError) {
        try Self.requireFinished(path)
        let database = try SQLDatabase<TileArchiveError>(
            foreignFile: path, limits: ForeignFileLimits(length: Int32(Self.tileLimit), queryTime: Self.openingTime))
        layout = try Layout(database)
        description = try Self.describe(database, layout, name: name ?? Self.name(of: path))
        database.limitQueries(to: queryTime)
        self.path = path
        self.queryTime = queryTime
        open = Mutex(Open(database: database))
    }

    /// Returns the tile at `path`; `nil` if the archive lacks it. Blocks for a look-up by primary key: microseconds.
    public func tile(at path: TilePath) throws(TileArchiveError) -> Tile? {
        // Rows are counted from the south in archives.
        let parameters = [path.z, path.x, (1 << path.z) - 1 - path.y].map { SQLValue($0) }
        let bytes = try read { (database) throws(TileArchiveError) in
            try database.rows(layout.tile, parameters) { (row) throws(TileArchiveError) in try row.blob(0) }
        }
        guard let tile = bytes.first.map({ Tile(bytes: $0, format: description.format) }) else { return nil }
        guard !tile.isCompressed || Gzip.isShort(tile.bytes, limit: VectorTile.limit) else {
            throw TileArchiveError(
                path: self.path, reason: "it has a tile that expands to more than \(VectorTile.limit >> 20) MB")
        }
        return tile
    }

    /// Reads the whole file, and throws if a part is damaged or missing. Blocks.
    package func checkWhole() throws(TileArchiveError) {
        let findings = try read { (database) throws(TileArchiveError) in
            // The time to read the whole file once, from a disk with 10 MB a second at worst.
            database.limitQueries(to: .seconds(60 + Int64(database.fileSize) / 10_000_000))
            defer { database.limitQueries(to: queryTime) }
            return try database.rows("PRAGMA quick_check(1)") { (row) throws(TileArchiveError) in try row.text(0) }
        }
        guard findings == ["ok"] else {
            throw TileArchiveError(path: path, reason: "it is damaged (\(findings.first?.prefix(200) ?? "empty"))")
        }
    }

    /// Returns any tile of the last zoom level; `nil` if it has none.
    package func anyTile() throws(TileArchiveError) -> (path: TilePath, tile: Tile)? {
        let level = description.zoomLevels.upperBound
        let places = try read { (database) throws(TileArchiveError) in
            try database.rows(layout.anyTile, [SQLValue(level)]) { (row) throws(TileArchiveError) in
                (try row.integer(0, as: Int.self), try row.integer(1, as: Int.self))
            }
        }
        guard let (x, row) = places.first else { return nil }
        // The file may contain any number.
        let (y, overflows) = ((1 << level) - 1).subtractingReportingOverflow(row)
        guard !overflows, let path = TilePath(z: level, x: x, y: y) else {
            throw TileArchiveError(path: self.path, reason: "it has tiles in impossible columns and rows")
        }
        return try tile(at: path).map { (path, $0) }
    }

    /// Reads, unless the archive was too slow before: many readers may be waiting.
    private func read<T>(
        _ body: (SQLDatabase<TileArchiveError>) throws(TileArchiveError) -> [T]
    ) throws(TileArchiveError) -> [T] {
        try open.withLock { (open) throws(TileArchiveError) in
            if let failure = open.failure { throw failure }
            do throws(TileArchiveError) {
                return try body(open.database)
            } catch {
                if error.isTooSlow { open.failure = error }
                throw error
            }
        }
    }

    /// Throws if there are changes in files beside the archive, which are not read.
    private static func requireFinished(_ path: String) throws(TileArchiveError) {
        for journal in ["\(path)-wal", "\(path)-journal"] {
            var status = stat()
            guard stat(journal, &status) == 0, status.st_size > 0 else { continue }
            throw TileArchiveError(
                path: path, reason: "another program is writing it, or has not finished (\(journal) has changes)")
        }
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.hasSuffix(".mbtiles") ? file.dropLast(8) : file)
    }

    private static func describe(
        _ database: SQLDatabase<TileArchiveError>, _ layout: Layout, name: String
    ) throws(TileArchiveError) -> TileSourceDescription {
        func metadata(_ name: String) throws(TileArchiveError) -> String? {
            try database.rows("SELECT value FROM metadata WHERE name = ? LIMIT 1", [.text(name)]) {
                (row) throws(TileArchiveError) in try row.text(0)
            }.first
        }
        let format = try metadata("format")
        guard let format = Tile.Format(rawValue: format == "jpeg" ? "jpg" : format ?? ""), format != .svg else {
            throw TileArchiveError(path: database.path, reason: "its metadata name no format of pbf, png, jpg or webp")
        }
        // Levels missing in the metadata come from the tiles. A single query for both would scan the table.
        func level(_ sql: SQLText) throws(TileArchiveError) -> Int? {
            try database.rows(sql) { (row) throws(TileArchiveError) in try row.optionalInteger(0, as: Int.self) }.first
                ?? nil
        }
        guard let lowest = try level(layout.lowestLevel), let highest = try level(layout.highestLevel) else {
            throw TileArchiveError(path: database.path, reason: "there is no tile in it")
        }
        guard lowest <= highest, (0...24).contains(lowest), highest <= 24 else {
            throw TileArchiveError(path: database.path, reason: "it has tiles of impossible zoom levels")
        }
        // The specification has one order of rows, but some programs write and declare another.
        if let scheme = try metadata("scheme"), scheme.lowercased() != "tms" {
            throw TileArchiveError(
                path: database.path,
                reason: "its rows are in the order “\(scheme.prefix(20))”, and MBTiles has only tms")
        }
        let bounds = try metadata("bounds").flatMap { TileMetadata.bounds(text: $0) }
        return TileSourceDescription(
            name: name, format: format, zoomLevels: lowest...highest, bounds: bounds, tileSize: 256,
            attribution: TileMetadata.attribution(try metadata("attribution")),
            layers: try metadata("json").map { TileMetadata.TileJSON.read($0.utf8).layers } ?? [])
    }
}

extension MBTiles {
    /// The tables of the tiles, and the queries for them.
    private struct Layout: Sendable {
        /// The table with zoom levels, columns and rows.
        private let index: SQLText
        /// The query for the bytes of a tile by zoom level, column and row.
        let tile: SQLText

        /// The query for the column and row of any tile of a zoom level.
        var anyTile: SQLText { "SELECT tile_column, tile_row FROM \(index) WHERE zoom_level = ? LIMIT 1" }
        var lowestLevel: SQLText { "SELECT min(zoom_level) FROM \(index)" }
        var highestLevel: SQLText { "SELECT max(zoom_level) FROM \(index)" }

        init(_ database: SQLDatabase<TileArchiveError>) throws(TileArchiveError) {
            guard try database.hasTable("metadata", columns: ["name", "value"]) else {
                throw TileArchiveError(path: database.path, reason: "it has no table metadata")
            }
            let place: SQLText = "zoom_level = ? AND tile_column = ? AND tile_row = ?"
            let columns: Set = ["zoom_level", "tile_column", "tile_row"]
            if try database.hasTable("tiles", columns: columns.union(["tile_data"])) {
                index = "tiles"
                tile = "SELECT tile_data FROM tiles WHERE \(place) LIMIT 1"
            } else if try database.hasTable("map", columns: columns.union(["tile_id"])),
                try database.hasTable("images", columns: ["tile_id", "tile_data"])
            {
                // The layout of tippecanoe, mb-util and others.
                index = "map"
                tile = "SELECT tile_data FROM images WHERE tile_id = (SELECT tile_id FROM map WHERE \(place)) LIMIT 1"
            } else if try database.hasTable("tiles_shallow", columns: columns.union(["tile_data_id"])),
                try database.hasTable("tiles_data", columns: ["tile_data_id", "tile_data"])
            {
                // The layout of planetiler.
                index = "tiles_shallow"
                tile = """
                    SELECT tile_data FROM tiles_data
                    WHERE tile_data_id = (SELECT tile_data_id FROM tiles_shallow WHERE \(place)) LIMIT 1
                    """
            } else {
                throw TileArchiveError(
                    path: database.path,
                    reason: "it has no table tiles, nor the tables of tippecanoe (map, images) or planetiler "
                        + "(tiles_shallow, tiles_data)")
            }
        }
    }
}
