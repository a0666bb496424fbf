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

/// Tiles that are read from files. The caller's thread is blocked meanwhile.
package protocol FileTiles: TileSource {
    func tile(at path: TilePath) throws(TileArchiveError) -> Tile?
}

/// Tiles in one file.
package protocol StoredTiles: FileTiles, AnyObject {
    /// Reads what leads to the tiles, and throws where some of it is damaged or missing. This blocks.
    func checkWhole() throws(TileArchiveError)

    /// A tile of the last zoom level; `nil` where there is none.
    func anyTile() throws(TileArchiveError) -> (path: TilePath, tile: Tile)?
}

/// A tile as a file has it.
enum StoredTile {
    /// The most bytes of a tile, compressed or not. Common ones have less than a tenth of that.
    static let limit = 8 << 20

    /// The tile, unless it expands to more than a page should have to take.
    static func checked(_ bytes: [UInt8], _ format: Tile.Format, of path: String) throws(TileArchiveError) -> Tile {
        let tile = Tile(bytes: bytes, format: format)
        guard !tile.isCompressed || Gzip.isShort(bytes, limit: VectorTile.limit) else {
            throw TileArchiveError(
                path: path, reason: "it has a tile that expands to more than \(VectorTile.limit >> 20) MB")
        }
        return tile
    }
}
