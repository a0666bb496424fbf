/// A tile's bytes and what they are.
public struct Tile: Hashable, Sendable {
    /// The forms in which tiles come.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// A Mapbox vector tile.
        case pbf
        /// A picture.
        case png, jpg, webp, svg

        /// The media type.
        package var mediaType: String {
            switch self {
            case .pbf: "application/vnd.mapbox-vector-tile"
            case .png: "image/png"
            case .jpg: "image/jpeg"
            case .webp: "image/webp"
            case .svg: "image/svg+xml"
            }
        }
    }

    /// The bytes, as they are sent to the page. Where they are compressed with gzip they begin with 1f 8b.
    public var bytes: [UInt8]
    /// Their format.
    public var format: Format

    /// A tile of these bytes.
    public init(bytes: [UInt8], format: Format) {
        self.bytes = bytes
        self.format = format
    }

    package var isCompressed: Bool { bytes.starts(with: [0x1f, 0x8b]) }
}

/// Where a map gets its tiles from: a file, an archive, a program.
///
/// A source is asked from any thread, by several at once.
public protocol TileSource: Sendable {
    /// The description that the page gets before it asks for tiles.
    var description: TileSourceDescription { get }

    /// The tile at `path`; `nil` where there is none.
    func tile(at path: TilePath) async throws -> Tile?
}

/// Tiles that are read from files. The caller's thread is blocked meanwhile.
package protocol FileTiles: TileSource {
    func tile(at path: TilePath) throws(TileArchiveError) -> Tile?
}

/// The description of a source of tiles.
public struct TileSourceDescription: Hashable, Sendable {
    /// The name: letters, digits, `-`, `_` and `.`. `world` and `imagery` are what the page draws the map types with.
    public var name: String
    /// The format of the tiles.
    public var format: Tile.Format
    /// The zoom levels it has. Beyond the last the page enlarges its tiles.
    public var zoomLevels: ClosedRange<Int>
    /// Its part of the world: degrees west, south, east, north; `nil` is all of it.
    public var bounds: [Double]?
    /// The boxes within ``bounds`` that it has, where these are several: degrees west, south, east, north each.
    public var areas: [[Double]] = []
    /// Changes when its tiles do, so that pages ask for them anew.
    public var revision = 0
    /// The pixels of a side of a tile, for pictures.
    public var tileSize: Int
    /// Whom to name for the data, as plain text.
    public var attribution: String
    /// The names of the layers of vector tiles.
    public var layers: [String]
    /// Whether it has no tiles at present: the page is not told of it then.
    public var isEmpty = false

    /// A source of the world.
    public init(
        name: String, format: Tile.Format, zoomLevels: ClosedRange<Int>, bounds: [Double]? = nil, tileSize: Int = 256,
        attribution: String = "", layers: [String] = []
    ) {
        self.name = name
        self.format = format
        self.zoomLevels = zoomLevels
        self.bounds = bounds
        self.tileSize = tileSize
        self.attribution = attribution
        self.layers = layers
    }
}
