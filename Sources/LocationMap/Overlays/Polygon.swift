public import LocationModel
import MapModel

/// An area (MapKit's `MKPolygon`), which can leave out others.
open class Polygon: Shape {
    /// What is left out.
    public let interiorPolygons: [Polygon]
    private let ring: [MapPoint]

    /// The area inside the line along `coordinates`, which closes by itself.
    public init(coordinates: some Sequence<Coordinate>, interiorPolygons: [Polygon] = []) {
        ring = [MapPoint](continuous: coordinates)
        self.interiorPolygons = interiorPolygons
        super.init()
    }

    /// Its corners.
    public var coordinates: [Coordinate] { ring.map(\.coordinate) }
    /// How many corners it has.
    public var pointCount: Int { ring.count }

    override var points: [MapPoint] { ring }
    override var geometry: WireGeometry { .polygons([rings]) }

    /// Its own ring, then those that are left out: on its side of the world.
    fileprivate var rings: [[WirePosition]] {
        [ring.ring]
            + interiorPolygons.map { interior in
                guard let first = interior.ring.first, let own = ring.first else { return [] }
                let shift = first.nearest(to: own).x - first.x
                return interior.ring.map { MapPoint(x: $0.x + shift, y: $0.y) }.ring
            }
    }
}

/// Several areas that are one overlay (MapKit's `MKMultiPolygon`).
open class MultiPolygon: Shape {
    /// The areas.
    public let polygons: [Polygon]

    /// An overlay of all `polygons`.
    public init(_ polygons: [Polygon]) {
        self.polygons = polygons
        super.init()
    }

    override var points: [MapPoint] { polygons.flatMap(\.points) }
    override var geometry: WireGeometry { .polygons(polygons.map(\.rings)) }
}
