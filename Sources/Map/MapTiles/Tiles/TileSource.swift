/// The bytes of a tile, with their format.
public struct Tile: Hashable, Sendable {
    /// A format of tiles.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// Mapbox vector tile.
        case pbf
        /// Image.
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

    /// The bytes as sent to the page. Those compressed with gzip begin with 1f 8b.
    public var bytes: [UInt8]
    /// Their format.
    public var format: Format

    /// Creates a tile of these bytes.
    public init(bytes: [UInt8], format: Format) {
        self.bytes = bytes
        self.format = format
    }

    package var isCompressed: Bool { bytes.starts(with: [0x1f, 0x8b]) }
}

/// A source of a map's tiles, such as a file, an archive or a program.
///
/// Its methods are called from any thread, by several callers at a time.
public protocol TileSource: Sendable {
    /// The description, which the page receives before it requests tiles.
    var description: TileSourceDescription { get }

    /// Returns the tile at `path`; `nil` if there is none. Errors are logged and shown as missing tiles.
    func tile(at path: TilePath) async throws -> Tile?
}

/// A source that reads tiles from files, and blocks the calling thread meanwhile.
package protocol FileTiles: TileSource {
    func tile(at path: TilePath) throws(TileArchiveError) -> Tile?
}

/// The description of a source of tiles.
public struct TileSourceDescription: Hashable, Sendable {
    /// The name: letters, digits, `-`, `_` and `.`. The page draws the map types with `world` and `imagery`.
    public var name: String
    /// The format of the tiles.
    public var format: Tile.Format
    /// The zoom levels with tiles. Beyond the last the page enlarges tiles.
    public var zoomLevels: ClosedRange<Int>
    /// The bounds: degrees west, south, east, north; `nil` for the whole world.
    public var bounds: [Double]?
    /// The boxes with tiles within ``bounds``: degrees west, south, east, north each. Empty, the default, for all of
    /// the bounds.
    public var areas: [[Double]] = []
    /// A number that changes with the tiles, so that pages request them again. Default 0.
    public var revision = 0
    /// The width and height of an image tile, in pixels.
    public var tileSize: Int
    /// The attribution of the data, as plain text.
    public var attribution: String
    /// The names of the layers of vector tiles.
    public var layers: [String]
    /// True if the source has no tiles at present, and pages do not list it. Default false.
    public var isEmpty = false

    /// Creates the description of a source.
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
