public import LocationModel
public import MapModel

/// The area around a place (MapKit's `MKCircle`).
open class Circle: Shape {
    /// Its middle.
    public let center: Coordinate
    /// How far it reaches, in metres.
    public let radius: Double
    private let outline: MapCircle

    /// The area within `radius` metres of `center`: 0 or more.
    public init(center: Coordinate, radius: Double) {
        self.center = center
        self.radius = max(0, radius)
        outline = MapCircle(center: center, radius: self.radius)
        super.init()
    }

    /// Its middle.
    public var coordinate: Coordinate { center }
    open override var boundingMapRect: MapRect { outline.boundingMapRect }

    override var points: [MapPoint] { outline.ring }
    override var geometry: WireGeometry { .polygons([[outline.ring.ring]]) }
}
