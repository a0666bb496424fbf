import SQLite

/// The check of a foreign archive that is to become a region: it must have vector tiles with streets, be complete, and
/// have known bounds.
package struct ArchiveCheck: Hashable, Sendable {
    /// The bounds: west, south, east, north, in degrees.
    package let bounds: [Double]
    /// The attribution of the data.
    package let attribution: String

    /// The layers of the OpenMapTiles schema of which at least one is drawn by the map's style.
    private static let knownLayers: Set = ["transportation", "water", "landcover", "building", "place"]
    /// The least zoom level with visible streets.
    private static let leastZoom = 12

    /// Reads the whole archive. Blocks.
    package init(path: String) throws(TileArchiveError) {
        func wrong(_ reason: String) -> TileArchiveError { TileArchiveError(path: path, reason: reason) }
        let tiles = try MBTiles(path: path)
        let description = tiles.description
        guard description.format == .pbf else {
            throw wrong("it has pictures (\(description.format.rawValue)), and streets are drawn of vector tiles")
        }
        guard description.zoomLevels.upperBound >= Self.leastZoom else {
            throw wrong(
                "its tiles end at zoom level \(description.zoomLevels.upperBound), and streets need \(Self.leastZoom) at least"
            )
        }
        try tiles.checkWhole()
        guard let (path, first) = try tiles.anyTile() else { throw wrong("there is no tile in it") }
        guard let sample = try? VectorTile(first.bytes) else {
            throw wrong("its tile \(path.z)/\(path.x)/\(path.y) is no vector tile")
        }
        let layers = description.layers.isEmpty ? sample.layers.map(\.name) : description.layers
        guard !Self.knownLayers.isDisjoint(with: layers) else {
            throw wrong(
                "its layers (\(layers.prefix(8).joined(separator: ", "))) are not those of the OpenMapTiles schema, which the map draws"
            )
        }
        guard let bounds = description.bounds else {
            throw wrong("its metadata do not say what part of the world it has (bounds)")
        }
        self.bounds = bounds
        attribution = description.attribution.isEmpty ? "© OpenStreetMap contributors" : description.attribution
    }
}
