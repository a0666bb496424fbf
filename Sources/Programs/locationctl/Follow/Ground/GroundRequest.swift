import Glibc
import LocationModel
import MapTiles
import MapModel

/// The ground that a view needs: the tiles, and the finest detail that is visible at its scale.
struct GroundRequest: Hashable, Sendable {
    /// The plane of the lines.
    let plane: TangentPlane
    /// The zoom level whose tiles are about as large as the view.
    let zoom: Int
    /// The tiles around the view at that level.
    let columns: ClosedRange<Int>
    let rows: ClosedRange<Int>
    /// The most metres of ground per dot: a power of two.
    let metresPerDot: Double

    /// The request for a camera on a canvas of this size in dots.
    init(_ camera: TerminalCamera, width: Int, height: Int) {
        let shorter = Double(max(1, min(width, height)))
        let dot = camera.span / shorter
        let point = MapPoint(camera.centre)
        let pointsPerMetre = Coordinate.mapPointsPerMeter(atLatitude: camera.centre.latitude)
        // Includes the margin by which the view may be turned.
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

    /// The possible zoom levels of tiles.
    static let zooms = 0...14

    /// The tiles, without duplicates. They wrap around at the 180th meridian.
    var tiles: [TilePath] {
        let count = 1 << zoom
        let columns = Set(columns.map { (($0 % count) + count) % count }).sorted()
        return rows.flatMap { y in columns.compactMap { x in TilePath(z: zoom, x: x, y: y) } }
    }
}
