public import LocationModel
public import MapModel

/// An area with optional holes (MapKit's `MKPolygon`).
open class Polygon: Shape {
    /// The corners.
    public let coordinates: [Coordinate]
    /// The holes.
    public let interiorPolygons: [Polygon]
    fileprivate let area: AreaGeometry

    /// Creates the area inside the ring of `coordinates`, without the areas of `interiorPolygons`. The ring is closed
    /// automatically.
    public init(coordinates: some Sequence<Coordinate>, interiorPolygons: [Polygon] = []) {
        self.coordinates = Array(coordinates)
        self.interiorPolygons = interiorPolygons
        area = AreaGeometry(self.coordinates, interiors: interiorPolygons.map(\.coordinates))
        super.init()
    }

    /// Creates an area with the first `count` of `coordinates` as its corners, as MapKit's does.
    public convenience init(
        coordinates: some Sequence<Coordinate>, count: Int, interiorPolygons: [Polygon]? = nil
    ) {
        self.init(coordinates: coordinates.prefix(max(0, count)), interiorPolygons: interiorPolygons ?? [])
    }

    /// The number of corners.
    public var pointCount: Int { coordinates.count }
    open override var boundingMapRect: MapRect { area.boundingMapRect }
    override var geometry: WireGeometry { WireGeometry(area) }
}

/// Several areas as one overlay (MapKit's `MKMultiPolygon`).
open class MultiPolygon: Shape {
    /// The areas.
    public let polygons: [Polygon]
    private let area: AreaGeometry

    /// Creates an overlay of `polygons`.
    public init(_ polygons: [Polygon]) {
        self.polygons = polygons
        area = AreaGeometry(polygons: polygons.flatMap(\.area.polygons))
        super.init()
    }

    open override var boundingMapRect: MapRect { area.boundingMapRect }
    override var geometry: WireGeometry { WireGeometry(area) }
}
