import Glibc
public import LocationModel

/// One or more lines on the map: the geometry of MapKit's `MKPolyline`, `MKGeodesicPolyline` and `MKMultiPolyline`.
///
/// Each segment takes the shorter way around the world; across the 180th meridian it continues outside the world.
/// (MapKit does not document which way its segments take.)
public struct LineGeometry: Hashable, Sendable {
    /// The lines, each without jumps: no point lies more than half a world east or west of the one before.
    public let lines: [[MapPoint]]
    /// The smallest rectangle that contains all lines.
    public let boundingMapRect: MapRect

    /// Creates lines through the given points. Lines without points are left out.
    public init(lines: [[MapPoint]]) {
        self.lines = lines.filter { !$0.isEmpty }.map { MapPoint.continuous($0) }
        boundingMapRect = self.lines.reduce(.null) { $0.union(MapRect(containing: $1)) }
    }

    /// Creates a line through `coordinates`.
    public init(_ coordinates: some Sequence<Coordinate>) {
        self.init(lines: [coordinates.map { MapPoint($0) }])
    }

    /// Creates the shortest line over ground through `coordinates`, with a point at least every 100 km.
    ///
    /// The line follows great circles on a sphere. Between antipodes, where the shortest line is ambiguous, it is
    /// straight on the map.
    public init(geodesic coordinates: some Sequence<Coordinate>) {
        var points: [MapPoint] = []
        var previous: Coordinate?
        for coordinate in coordinates {
            if let previous { points += Self.betweenOnGreatCircle(previous, coordinate) }
            points.append(MapPoint(coordinate))
            previous = coordinate
        }
        self.init(lines: [points])
    }

    private static func betweenOnGreatCircle(_ start: Coordinate, _ end: Coordinate) -> [MapPoint] {
        func vector(_ coordinate: Coordinate) -> SIMD3<Double> {
            let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
            return SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
        }
        let (a, b) = (vector(start), vector(end))
        let angle = acos(min(max((a * b).sum(), -1), 1))
        let steps = Int((angle * MeanSphere.radius / 100_000).rounded(.up))
        guard steps > 1, sin(angle) > 1e-9 else { return [] }
        return (1..<steps).map { step in
            let fraction = Double(step) / Double(steps)
            let point = a * (sin((1 - fraction) * angle) / sin(angle)) + b * (sin(fraction * angle) / sin(angle))
            return MapPoint(
                Coordinate(
                    clampingLatitude: atan2(point.z, hypot(point.x, point.y)) * 180 / .pi,
                    wrappingLongitude: atan2(point.y, point.x) * 180 / .pi))
        }
    }
}

extension MapPoint {
    /// Returns `points`, each moved by full turns around the world to within half a world of the one before.
    static func continuous(_ points: [MapPoint]) -> [MapPoint] {
        var turned: [MapPoint] = []
        turned.reserveCapacity(points.count)
        for point in points { turned.append(turned.last.map { point.nearest(to: $0) } ?? point) }
        return turned
    }

    /// Returns the positions of the same place on all turns around the world that may be in or next to `rect`.
    func copies(around rect: MapRect) -> [MapPoint] {
        let world = MapSize.world.width
        let first = ((rect.minX - x) / world).rounded(.down)
        let last = ((rect.maxX - x) / world).rounded(.up)
        guard !rect.isNull, last - first < 16 else { return [self] }
        return stride(from: first, through: last, by: 1).map { MapPoint(x: x + $0 * world, y: y) }
    }
}
