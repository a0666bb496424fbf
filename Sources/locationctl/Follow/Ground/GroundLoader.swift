import LocationModel
import MapData
import MapModel

/// Reads the ground of the installed regions, and of the world where they have none.
///
/// An actor of its own, since it reads files: the view goes on meanwhile.
actor GroundLoader {
    private let streets: RegionTiles
    private let world: MBTiles?
    /// Tiles that were read, the newest last: what is beside the view comes next.
    private var known: [(path: TilePath, lines: [GroundFeature])] = []
    private static let keptTiles = 48

    /// The regions of this user, and the world of the package locationd-map if it is there. What cannot be read is not drawn:
    /// `locationctl map list` says why.
    init() {
        self.init(
            regions: MapRegions(),
            world: (try? MapData()).flatMap { try? MBTiles(path: "\($0.directory)/world.mbtiles") })
    }

    /// These regions and this world.
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
        // Water last: there are few lines of it, and they tell most.
        return Ground(
            plane: request.plane, lines: lines.filter { $0.style == .ground } + lines.filter { $0.style == .water })
    }

    private func features(at path: TilePath) -> [GroundFeature] {
        if let index = known.firstIndex(where: { $0.path == path }) { return known[index].lines }
        // A tile that is damaged has no lines; the page's server says which it is.
        let tile = (try? streets.tile(at: path)).flatMap { try? VectorTile($0.bytes) }
        let lines = tile.map { GroundFeature.features(of: $0, at: path) } ?? []
        if known.count >= Self.keptTiles { known.removeFirst() }
        known.append((path, lines))
        return lines
    }

    /// The world's tiles end at a small scale: those above the view's are drawn as they are.
    private func worldFeatures(_ request: GroundRequest) -> [GroundFeature] {
        guard let world else { return [] }
        let up = max(0, request.zoom - world.description.zoomLevels.upperBound)
        let paths = Set(request.tiles.compactMap { TilePath(z: $0.z - up, x: $0.x >> up, y: $0.y >> up) })
        return paths.sorted { ($0.y, $0.x) < ($1.y, $1.x) }.flatMap { path -> [GroundFeature] in
            let tile = (try? world.tile(at: path)).flatMap { try? VectorTile($0.bytes) }
            return tile.map { GroundFeature.features(of: $0, at: path) } ?? []
        }
    }
}
