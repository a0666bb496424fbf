import Synchronization

/// The tiles of all installed regions as one source, `streets`. Where regions overlap, their tiles are merged; outside
/// of them there are none, and the world's tiles show.
///
/// ``refresh()`` finds regions that were installed or removed. A server calls it when a page is opened.
public final class RegionTiles: TileSource, FileTiles {
    /// The name of the source.
    public static let name = "streets"

    private let regions: MapRegions
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Held while files are opened, by one refresh at a time. Tiles can be read meanwhile.
    private let refreshing = Mutex<[FileMark]?>(nil)

    private struct State {
        var isReady = false
        var open: [OpenRegion] = []
        var description = RegionTiles.nothing
        /// Merged tiles, the newest last.
        var merged: [(path: TilePath, tile: Tile)] = []
        /// The archives with an unreadable tile, each reported once.
        var reported: Set<ObjectIdentifier> = []
    }

    private struct OpenRegion: Sendable {
        let tiles: MBTiles
        let bounds: [Double]

        func has(_ path: TilePath) -> Bool {
            guard tiles.description.zoomLevels.contains(path.z) else { return false }
            let tile = path.bounds
            return bounds[0] < tile[2] && tile[0] < bounds[2] && bounds[1] < tile[3] && tile[1] < bounds[3]
        }
    }

    private static let nothing = {
        var nothing = TileSourceDescription(name: name, format: .pbf, zoomLevels: 0...0)
        nothing.isEmpty = true
        return nothing
    }()
    /// The number of merged tiles to keep. Enough for a few pages: they are needed along borders and at small scales
    /// only.
    private static let keptTiles = 64

    /// Creates the source of the tiles of `regions`.
    ///
    /// - Parameter report: Called from any thread with a sentence about each unreadable region.
    public init(_ regions: MapRegions = MapRegions(), report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.regions = regions
        self.report = report
    }

    /// The description of all regions together, as of the last ``refresh()``.
    public var description: TileSourceDescription { state.withLock { $0.description } }

    /// Reads the directories, and opens new regions. Blocks.
    public func refresh() {
        refreshing.withLock { known in
            let fingerprint = regions.fingerprint
            guard fingerprint != known else { return }
            known = fingerprint
            let open = openRegions()
            var description = Self.describe(open)
            description.areas = open.map(\.bounds)
            description.revision = fingerprint.hashValue
            state.withLock { $0 = State(isReady: true, open: open, description: description) }
        }
    }

    /// Returns the tile at `path`; `nil` if no region has it. Blocks for a look-up in each region that may have it, for
    /// longer at the first call after a ``refresh()``.
    ///
    /// A region with a damaged file is reported once, and its unreadable tiles are left out.
    public func tile(at path: TilePath) throws(TileArchiveError) -> Tile? {
        if state.withLock({ !$0.isReady }) { refresh() }
        let (candidates, known) = state.withLock { state in
            (state.open.filter { $0.has(path) }, state.merged.last { $0.path == path }?.tile)
        }
        if let known { return known }
        var tiles: [Tile] = []
        for region in candidates {
            do {
                if let tile = try region.tiles.tile(at: path), !tile.bytes.isEmpty { tiles.append(tile) }
            } catch {
                reportOnce(region, error)
            }
        }
        guard tiles.count > 1 else { return tiles.first }
        // A damaged tile is left out of the merged one.
        let tile = Tile(bytes: VectorTile.merging(tiles.compactMap { try? VectorTile($0.bytes) }), format: .pbf)
        state.withLock { state in
            if state.merged.count >= Self.keptTiles { state.merged.removeFirst() }
            state.merged.append((path, tile))
        }
        return tile
    }

    private func reportOnce(_ region: OpenRegion, _ error: TileArchiveError) {
        let isFirst = state.withLock { $0.reported.insert(ObjectIdentifier(region.tiles)).inserted }
        if isFirst { report("\(error)") }
    }

    private func openRegions() -> [OpenRegion] {
        let (installed, problems) = regions.installed()
        for problem in problems { report(problem.description) }
        var open: [OpenRegion] = []
        for region in installed {
            do {
                let tiles = try MBTiles(path: region.tilesPath, name: region.name)
                guard tiles.description.format == .pbf else {
                    throw TileArchiveError(path: region.tilesPath, reason: "it has pictures, not vector tiles")
                }
                open.append(OpenRegion(tiles: tiles, bounds: region.information.bounds))
            } catch {
                report("\(error)")
            }
        }
        return open
    }

    private static func describe(_ regions: [OpenRegion]) -> TileSourceDescription {
        let descriptions = regions.map(\.tiles.description)
        let levels = descriptions.map(\.zoomLevels)
        // Beyond its last level the page enlarges tiles, so all regions need to have that level.
        guard let lowest = levels.map(\.lowerBound).min(), let highest = levels.map(\.upperBound).min() else {
            return nothing
        }
        var description = TileSourceDescription(
            name: name, format: .pbf, zoomLevels: min(lowest, highest)...highest,
            bounds: [
                regions.map { $0.bounds[0] }.min() ?? -180, regions.map { $0.bounds[1] }.min() ?? -90,
                regions.map { $0.bounds[2] }.max() ?? 180, regions.map { $0.bounds[3] }.max() ?? 90,
            ])
        for other in descriptions {
            description.layers += other.layers.filter { !description.layers.contains($0) }
        }
        description.attribution = descriptions.map(\.attribution).reduce(into: [String]()) { credits, credit in
            if !credit.isEmpty, !credits.contains(credit) { credits.append(credit) }
        }.joined(separator: ", ")
        return description
    }
}
