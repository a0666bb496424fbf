public import MapTiles
public import MapModel

/// An overlay of image tiles that the program supplies (MapKit's `MKTileOverlay`). Override ``loadTile(at:)``.
@MainActor
open class TileOverlay: Overlay {
    /// The zoom levels with tiles, within 0…24. Default 0 to 22. Beyond the greatest one tiles are enlarged.
    public var zoomLevels = 0...22
    /// The width and height of a tile in pixels, 256 or 512. Default 256.
    public var tileSize = 256
    /// True if the tiles are opaque, so that the map below need not be drawn. Default false.
    public var canReplaceMapContent = false
    /// The name, as plain text; `nil`, the default, for none.
    public var title: String?

    /// Creates an overlay whose subclass supplies the tiles, with the default of each property.
    public init() {}

    /// The extent of the tiles. Default: the whole world.
    open var boundingMapRect: MapRect { .world }

    /// Returns the tile at `path`; `nil` if there is none.
    ///
    /// Called as pages need tiles, several at a time. Errors are logged and shown as missing tiles.
    open func loadTile(at path: TilePath) async throws -> Tile? { nil }
}

/// An overlay with the tiles of a source, such as an archive of images.
open class TileSourceOverlay: TileOverlay {
    /// The source of the tiles.
    public let source: any TileSource

    /// Creates an overlay with the tiles of `source`, which must be images.
    public init(_ source: any TileSource) {
        self.source = source
        super.init()
        zoomLevels = source.description.zoomLevels
        tileSize = source.description.tileSize
    }

    open override func loadTile(at path: TilePath) async throws -> Tile? { try await source.tile(at: path) }
}
