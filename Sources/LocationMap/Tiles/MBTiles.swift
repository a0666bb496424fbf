import CSQLite
import FoundationEssentials
import SQLAccess
import Synchronization

/// An archive of tiles in one SQLite file (MBTiles 1.3, <https://github.com/mapbox/mbtiles-spec>).
public final class MBTiles: TileSource {
    /// What the archive's metadata say.
    public let description: TileSourceDescription
    private let database: Mutex<SQLDatabase<MBTilesError>>

    /// Opens the archive at `path`, which is read only. This blocks.
    ///
    /// - Parameter name: The source's name; by default that of the file, without `.mbtiles`.
    /// - Throws: ``MBTilesError``
    public init(path: String, name: String? = nil) throws(MBTilesError) {
        let database = try SQLDatabase<MBTilesError>(path: path, isReadOnly: true)
        description = try Self.describe(database, name: name ?? Self.name(of: path))
        self.database = Mutex(database)
    }

    /// The tile at `path`; `nil` where there is none. Blocks for a look-up by a primary key: microseconds.
    public func tile(at path: TilePath) throws(MBTilesError) -> Tile? {
        // Rows are counted from the south there.
        let parameters = [path.z, path.x, (1 << path.z) - 1 - path.y].map { SQLValue($0) }
        let bytes = try database.withLock { (database) throws(MBTilesError) in
            try database.rows(
                "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?", parameters
            ) { (row) throws(MBTilesError) in try row.blob(0) }
        }
        return bytes.first.map { Tile(bytes: $0, format: description.format) }
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.hasSuffix(".mbtiles") ? file.dropLast(8) : file)
    }

    private static func describe(
        _ database: SQLDatabase<MBTilesError>, name: String
    ) throws(MBTilesError) -> TileSourceDescription {
        let rows = try database.rows("SELECT name, value FROM metadata") { (row) throws(MBTilesError) in
            (try row.text(0), try row.text(1))
        }
        let metadata = Dictionary(rows) { first, _ in first }
        let word = metadata["format"] == "jpeg" ? "jpg" : metadata["format"]
        guard let format = word.flatMap({ Tile.Format(rawValue: $0) }) else {
            throw MBTilesError(path: database.path, reason: "its metadata name no format of pbf, png, jpg or webp")
        }
        // Where the metadata do not say, the tiles do.
        let levels = try database.rows("SELECT min(zoom_level), max(zoom_level) FROM tiles") {
            (row) throws(MBTilesError) in (try row.integer(0, as: Int.self), try row.integer(1, as: Int.self))
        }
        guard let levels = levels.first, levels.0 <= levels.1, (0...24).contains(levels.0), levels.1 <= 24 else {
            throw MBTilesError(path: database.path, reason: "it has tiles of impossible zoom levels")
        }
        let bounds = metadata["bounds"]?.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) }
        return TileSourceDescription(
            name: name, format: format, zoomLevels: levels.0...levels.1, bounds: bounds?.count == 4 ? bounds : nil,
            tileSize: 256, attribution: metadata["attribution"].map { plainText($0) } ?? "",
            layers: layers(metadata["json"]))
    }

    /// Attributions are HTML by the specification, and are shown as text.
    private static func plainText(_ html: String) -> String {
        var text = ""
        var isTag = false
        for character in html {
            if character == "<" { isTag = true }
            if !isTag { text.append(character) }
            if character == ">" { isTag = false }
        }
        return [("&copy;", "©"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    private static func layers(_ json: String?) -> [String] {
        struct Layers: Decodable {
            struct Layer: Decodable { var id: String }
            var vector_layers: [Layer]
        }
        // An archive of pictures has none, nor need one of others name them.
        guard let json, let layers = try? JSONDecoder().decode(Layers.self, from: Data(json.utf8)) else { return [] }
        return layers.vector_layers.map(\.id)
    }
}

/// Why an archive of tiles cannot be read.
public struct MBTilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// What is wrong with it.
    public let reason: String

    /// `world.mbtiles is no archive of tiles: …`
    public var description: String { "\(path) is no archive of tiles that can be read: \(reason)." }
}

extension MBTilesError: SQLFailure {
    package init(sqliteCode: Int32, systemError: Int32, path: String, detail: String) {
        self.init(path: path, reason: detail)
    }
}
