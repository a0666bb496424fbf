public import LocationModel
import MapModel

/// A line (MapKit's `MKPolyline`), which can grow at its end.
open class Polyline: Shape {
    private(set) var line: [MapPoint]

    /// The line along `coordinates`, each of which is joined to the next by the shorter way around the world.
    public init(coordinates: some Sequence<Coordinate>) {
        line = [MapPoint](continuous: coordinates)
        super.init()
    }

    /// Its corners.
    public var coordinates: [Coordinate] { line.map(\.coordinate) }
    /// How many corners it has.
    public var pointCount: Int { line.count }

    /// Goes on along `coordinates`. On every map that the line is on only these are sent: for a trail.
    public func append(_ coordinates: some Sequence<Coordinate>) {
        let new = [MapPoint](continuous: coordinates)
        guard let first = new.first else { return }
        // The first beside the end of the line, and all others as they are to it.
        let shift = first.nearest(to: line.last ?? first).x - first.x
        let appended = new.map { MapPoint(x: $0.x + shift, y: $0.y) }
        line += appended
        MapView.polyline(self, didAppend: appended)
    }

    override var points: [MapPoint] { line }
    override var geometry: WireGeometry { .lines([line.positions]) }
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

    override var points: [MapPoint] { polylines.flatMap(\.points) }
    override var geometry: WireGeometry { .lines(polylines.map(\.points.positions)) }
}
