/// The archives that tiles are read of, by the endings of their names.
package enum TileArchive: String, Hashable, Sendable, CaseIterable {
    case mbtiles, pmtiles

    /// The kind of the file called `path`; `nil` for none.
    package init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(rawValue: path[path.index(after: dot)...].lowercased())
    }

    /// Opens a file of this kind. This blocks.
    package func open(_ path: String, name: String? = nil) throws(TileArchiveError) -> any StoredTiles {
        switch self {
        case .mbtiles: try MBTiles(path: path, name: name)
        case .pmtiles: try PMTiles(path: path, name: name)
        }
    }
}

/// Tiles in a file: there without waiting for anybody.
package protocol StoredTiles: TileSource {
    func tile(at path: TilePath) throws(TileArchiveError) -> Tile?

    /// Reads what leads to the tiles, and throws where some of it is damaged or missing. This blocks.
    func checkWhole() throws(TileArchiveError)

    /// A tile of the last zoom level; `nil` where there is none.
    func anyTile() throws(TileArchiveError) -> (path: TilePath, tile: Tile)?
}
