public import LocationModel
public import MapModel

/// The area within a distance of a coordinate (MapKit's `MKCircle`).
open class Circle: Shape {
    /// The centre.
    public let center: Coordinate
    /// The radius in metres, 0 to 20,000,000.
    public let radius: Double
    private let area: AreaGeometry

    /// Creates the area within `radius` metres of `center`.
    public init(center: Coordinate, radius: Double) {
        self.center = center
        self.radius = min(max(0, radius), 20_000_000)
        area = AreaGeometry(circleAround: center, radius: self.radius)
        super.init()
    }

    /// The centre.
    public var coordinate: Coordinate { center }
    open override var boundingMapRect: MapRect { area.boundingMapRect }
    override var geometry: WireGeometry { WireGeometry(area) }
}
