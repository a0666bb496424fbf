public import MapTiles
public import MapModel

/// A picture of the world in tiles that the program supplies (MapKit's `MKTileOverlay`).
@MainActor
open class TileOverlay: Overlay {
    /// The least and the greatest zoom level that there are tiles for, 0 to 24. Beyond the greatest, tiles are enlarged.
    public var zoomLevels = 0...22
    /// The pixels of a side of a tile: 256 or 512.
    public var tileSize = 256
    /// True if it covers the map, which then need not be drawn.
    public var canReplaceMapContent = false
    /// Its name.
    public var title: String?

    /// An overlay of which a subclass supplies the tiles.
    public init() {}

    /// All of the world.
    open var boundingMapRect: MapRect { .world }

    /// The tile at `path`; `nil` where there is none. What it throws is logged, and there is no tile then.
    ///
    /// Called as pages need tiles, several at a time.
    open func loadTile(at path: TilePath) async throws -> Tile? { nil }
}

/// Shows the tiles of a source, such as an archive of pictures.
open class TileSourceOverlay: TileOverlay {
    /// The source of the tiles.
    public let source: any TileSource

    /// An overlay of the tiles of `source`, which has to have pictures.
    public init(_ source: any TileSource) {
        self.source = source
        super.init()
        zoomLevels = source.description.zoomLevels
        tileSize = source.description.tileSize
    }

    open override func loadTile(at path: TilePath) async throws -> Tile? { try await source.tile(at: path) }
}
