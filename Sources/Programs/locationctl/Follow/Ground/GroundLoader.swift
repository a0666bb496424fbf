import MapTiles

/// Reads the ground of the installed regions, and the world's outside of them.
///
/// An actor of its own, because it reads files while the view continues.
actor GroundLoader {
    private let streets: RegionTiles
    private let world: MBTiles?
    /// The tiles read so far, the newest last. The surroundings of a view are read next.
    private var known: [(path: TilePath, lines: [GroundFeature])] = []
    private static let keptTiles = 48

    /// The regions of this user, and the world of the package locationd-map, if it is installed. Files that cannot be
    /// read are not drawn; `locationctl map list` shows the reason.
    init() {
        self.init(
            regions: MapRegions(),
            world: (try? MapData()).flatMap { try? MBTiles(path: "\($0.directory)/world.mbtiles") })
    }

    init(regions: MapRegions, world: MBTiles?) {
        streets = RegionTiles(regions)
        self.world = world
    }

    /// The lines for a view.
    func load(_ request: GroundRequest) -> Ground {
        let streets = request.tiles.flatMap { path in features(at: path) }
        let lines = (streets.isEmpty ? worldFeatures(request) : streets).compactMap { feature -> Ground.Line? in
            guard let style = feature.style(metresPerDot: request.metresPerDot) else { return nil }
            let points = feature.points.compactMap { request.plane.metres(of: $0) }
            return points.count > 1 ? Ground.Line(points: points, style: style) : nil
        }
        // Water comes last, because it has few lines and is the most significant.
        return Ground(
            plane: request.plane, lines: lines.filter { $0.style == .ground } + lines.filter { $0.style == .water })
    }

    /// The outline of the world; empty if the package with it is not installed.
    func loadWorld() -> WorldOutline {
        let path = TilePath(z: 0, x: 0, y: 0)
        let features = path.map { Self.features(of: try? world?.tile(at: $0), at: $0) } ?? []
        return WorldOutline(lines: features.filter { $0.kind == .water }.map(\.points))
    }

    /// The features of a tile. A damaged one has none; the server of the page names it.
    private static func features(of tile: Tile?, at path: TilePath) -> [GroundFeature] {
        tile.flatMap { try? VectorTile($0.bytes) }.map { GroundFeature.features(of: $0, at: path) } ?? []
    }

    private func features(at path: TilePath) -> [GroundFeature] {
        if let index = known.firstIndex(where: { $0.path == path }) { return known[index].lines }
        let lines = Self.features(of: try? streets.tile(at: path), at: path)
        if known.count >= Self.keptTiles { known.removeFirst() }
        known.append((path, lines))
        return lines
    }

    /// The world's tiles end at a small scale: a larger view uses the tiles above it.
    private func worldFeatures(_ request: GroundRequest) -> [GroundFeature] {
        guard let world else { return [] }
        let up = max(0, request.zoom - world.description.zoomLevels.upperBound)
        let paths = Set(request.tiles.compactMap { TilePath(z: $0.z - up, x: $0.x >> up, y: $0.y >> up) })
        return paths.sorted { ($0.y, $0.x) < ($1.y, $1.x) }.flatMap { path in
            Self.features(of: try? world.tile(at: path), at: path)
        }
    }
}
