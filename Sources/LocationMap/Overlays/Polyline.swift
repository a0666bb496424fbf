public import LocationModel
public import MapModel

/// A line (MapKit's `MKPolyline`), which can grow at its end.
open class Polyline: Shape {
    /// Its corners, none more than half a world from the one before.
    private(set) var line: [MapPoint]
    private var bounds: MapRect

    /// The line along `coordinates`, each of which is joined to the next by the shorter way around the world.
    public init(coordinates: some Sequence<Coordinate>) {
        let geometry = LineGeometry(coordinates)
        line = geometry.lines.first ?? []
        bounds = geometry.boundingMapRect
        super.init()
    }

    /// Its corners.
    public var coordinates: [Coordinate] { line.map(\.coordinate) }
    /// The number of corners.
    public var pointCount: Int { line.count }
    open override var boundingMapRect: MapRect { bounds }

    /// Goes on along `coordinates`. On every map that the line is on only these are sent: for a trail.
    public func append(_ coordinates: some Sequence<Coordinate>) {
        let start = line.count
        for coordinate in coordinates {
            let point = MapPoint(coordinate)
            line.append(line.last.map { point.nearest(to: $0) } ?? point)
        }
        let appended = Array(line[start...])
        guard !appended.isEmpty else { return }
        bounds = bounds.union(MapRect(containing: appended))
        MapView.polyline(self, didAppend: appended)
    }

    override var geometry: WireGeometry { .lines([line.positions]) }
}

/// A line along the shortest way on the ground (MapKit's `MKGeodesicPolyline`), which is no straight one on the map.
open class GeodesicPolyline: Shape {
    private let line: LineGeometry

    /// The line along `coordinates`.
    public init(coordinates: some Sequence<Coordinate>) {
        line = LineGeometry(geodesic: coordinates)
        super.init()
    }

    open override var boundingMapRect: MapRect { line.boundingMapRect }
    override var geometry: WireGeometry { WireGeometry(line) }
}

/// Several lines that are one overlay (MapKit's `MKMultiPolyline`).
open class MultiPolyline: Shape {
    /// The lines.
    public let polylines: [Polyline]

    /// An overlay of all `polylines`.
    public init(_ polylines: [Polyline]) {
        self.polylines = polylines
        super.init()
    }

    open override var boundingMapRect: MapRect { polylines.reduce(.null) { $0.union($1.boundingMapRect) } }
    override var geometry: WireGeometry { WireGeometry(LineGeometry(lines: polylines.map(\.line))) }
}
