import Synchronization

/// The tiles of all installed regions as one source, `streets`. Where regions overlap, a tile has what either has; where none has
/// a tile there is none, and the world shows.
///
/// Regions that have come or gone are noticed by ``refresh()``, which a server calls when a page is opened.
public final class RegionTiles: TileSource, FileTiles {
    /// The name of the source.
    public static let name = "streets"

    private let regions: MapRegions
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Held while files are opened, one refresh at a time. Tiles are read meanwhile.
    private let refreshing = Mutex<[FileMark]?>(nil)

    private struct State {
        var isReady = false
        var open: [OpenRegion] = []
        var description = RegionTiles.nothing
        /// Tiles put together of several, the newest last.
        var merged: [(path: TilePath, tile: Tile)] = []
        /// The archives with a tile that could not be read.
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
    /// Enough for a few pages: merged tiles lie along borders, and in the small scales.
    private static let keptTiles = 64

    /// The tiles of `regions`.
    ///
    /// - Parameter report: Told in a sentence of each region that cannot be read, from any thread.
    public init(_ regions: MapRegions = MapRegions(), report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.regions = regions
        self.report = report
    }

    /// The description of all regions together, as they were at the last ``refresh()``.
    public var description: TileSourceDescription { state.withLock { $0.description } }

    /// Looks at the directories, and opens the regions that are new. Blocks meanwhile.
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

    /// The tile at `path`; `nil` where no region has it. Blocks for a look into each region that may have it, the first time for
    /// a ``refresh()``.
    ///
    /// A region whose file turns out to be damaged is reported once, and tiles that it cannot give are left out.
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
        // A damaged tile is left out, as if the others were alone.
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
        // Beyond the last level the page enlarges the tiles of the last, which all regions have to have.
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
