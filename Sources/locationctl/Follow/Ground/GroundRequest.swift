import Glibc
import LocationModel
import MapData
import MapModel

/// What a view needs to know of the ground: which tiles, and what of them can be told apart at its scale.
struct GroundRequest: Hashable, Sendable {
    /// The plane that lines are wanted on.
    let plane: GroundPlane
    /// The zoom level at which a tile is about as large as the view.
    let zoom: Int
    /// The tiles around the view, at that level.
    let columns: ClosedRange<Int>
    let rows: ClosedRange<Int>
    /// How much ground a dot shows at most, in metres: a power of two.
    let metresPerDot: Double

    /// What a camera needs on a raster of so many dots.
    init(_ camera: MapCamera, width: Int, height: Int) {
        let shorter = Double(max(1, min(width, height)))
        let dot = camera.span / shorter
        let point = MapPoint(camera.centre)
        let pointsPerMetre = Coordinate.mapPointsPerMeter(atLatitude: camera.centre.latitude)
        // With what the view may be turned by.
        let reach = hypot(Double(width), Double(height)) / 2 * dot * pointsPerMetre
        let level = log2(MapSize.world.width / max(1, camera.span * pointsPerMetre))
        let zoom = min(max(0, Int(level.rounded(.down))), Self.zooms.upperBound)
        let side = MapSize.world.width / Double(1 << zoom)
        func range(_ middle: Double) -> ClosedRange<Int> {
            Int(((middle - reach) / side).rounded(.down))...Int(((middle + reach) / side).rounded(.down))
        }
        plane = camera.plane
        self.zoom = zoom
        columns = range(point.x)
        rows = range(point.y)
        metresPerDot = exp2(log2(dot).rounded(.up))
    }

    /// The levels that there may be tiles of.
    static let zooms = 0...14

    /// The tiles, each once; beyond the 180th meridian they begin anew.
    var tiles: [TilePath] {
        let count = 1 << zoom
        let columns = Set(columns.map { (($0 % count) + count) % count }).sorted()
        return rows.flatMap { y in columns.compactMap { x in TilePath(z: zoom, x: x, y: y) } }
    }
}
