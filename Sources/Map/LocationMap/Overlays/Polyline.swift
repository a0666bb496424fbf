import Glibc
public import LocationModel
public import MapModel

/// A line (MapKit's `MKPolyline`). It can be extended while it is on a map.
open class Polyline: Shape {
    /// The points, each within half a world of the one before.
    private(set) var line: [MapPoint]
    private var bounds: MapRect

    /// Creates a line through `coordinates`, joined the shorter way around the world.
    public init(coordinates: some Sequence<Coordinate>) {
        let geometry = LineGeometry(coordinates)
        (line, bounds) = (geometry.lines.first ?? [], geometry.boundingMapRect)
        super.init()
    }

    /// Creates a line through the first `count` of `coordinates`, as MapKit's does.
    public convenience init(coordinates: some Sequence<Coordinate>, count: Int) {
        self.init(coordinates: coordinates.prefix(max(0, count)))
    }

    /// Creates a line with the first line of a geometry.
    init(_ geometry: LineGeometry) {
        (line, bounds) = (geometry.lines.first ?? [], geometry.boundingMapRect)
        super.init()
    }

    /// The coordinates of the points.
    public var coordinates: [Coordinate] { line.map(\.coordinate) }
    /// The number of points.
    public var pointCount: Int { line.count }
    open override var boundingMapRect: MapRect { bounds }

    /// Returns the positions of points along the line by length on the map, from 0 at its start to 1 at its end, for
    /// ``GradientPolylineRenderer/setColors(_:locations:)``. Indexes outside the line are left out.
    public func locations(atPointIndexes indexes: some Sequence<Int>) -> [Double] {
        var lengths = [0.0]
        for (point, next) in zip(line, line.dropFirst()) {
            lengths.append((lengths.last ?? 0) + hypot(next.x - point.x, next.y - point.y))
        }
        let whole = lengths.last ?? 0
        return indexes.filter(line.indices.contains).map { whole > 0 ? lengths[$0] / whole : 0 }
    }

    /// Extends the line through `coordinates`. Maps that show the line receive only the new points, as a growing track
    /// needs.
    public func append(_ coordinates: some Sequence<Coordinate>) {
        let start = line.count
        for point in points(through: Array(coordinates)) {
            line.append(line.last.map { point.nearest(to: $0) } ?? point)
        }
        let appended = Array(line[start...])
        guard !appended.isEmpty else { return }
        bounds = bounds.union(MapRect(containing: appended))
        MapView.polyline(self, didAppend: appended)
    }

    /// The points of an extension of the line through `coordinates`.
    func points(through coordinates: [Coordinate]) -> [MapPoint] { coordinates.map { MapPoint($0) } }

    override var geometry: WireGeometry { .lines([line.positions]) }
}

/// A line along the shortest path on the ground (MapKit's `MKGeodesicPolyline`), which is curved on the map. Its points include
/// those between the given ones, at least one every 100 km.
open class GeodesicPolyline: Polyline {
    /// Creates the shortest line through `coordinates`.
    public override init(coordinates: some Sequence<Coordinate>) { super.init(LineGeometry(geodesic: coordinates)) }

    /// Creates a line through the first `count` of `coordinates`, as MapKit's does.
    public convenience init(coordinates: some Sequence<Coordinate>, count: Int) {
        self.init(coordinates: coordinates.prefix(max(0, count)))
    }

    override func points(through coordinates: [Coordinate]) -> [MapPoint] {
        guard let last = line.last else { return LineGeometry(geodesic: coordinates).lines.first ?? [] }
        return Array(LineGeometry(geodesic: [last.coordinate] + coordinates).lines.first?.dropFirst() ?? [])
    }
}

/// Several lines as one overlay (MapKit's `MKMultiPolyline`).
open class MultiPolyline: Shape {
    /// The lines.
    public let polylines: [Polyline]

    /// Creates an overlay of `polylines`.
    public init(_ polylines: [Polyline]) {
        self.polylines = polylines
        super.init()
    }

    open override var boundingMapRect: MapRect { polylines.reduce(.null) { $0.union($1.boundingMapRect) } }
    override var geometry: WireGeometry { WireGeometry(LineGeometry(lines: polylines.map(\.line))) }
}
