public import LocationModel

/// The extent of a region in degrees of latitude and longitude (MapKit's `MKCoordinateSpan`).
public struct CoordinateSpan: Codable, Hashable, Sendable {
    /// The extent from south to north, in degrees, 0 to 180.
    public var latitudeDelta: Double
    /// The extent from west to east, in degrees, 0 to 360.
    public var longitudeDelta: Double

    /// Creates a span of this many degrees.
    public init(latitudeDelta: Double, longitudeDelta: Double) {
        self.latitudeDelta = latitudeDelta
        self.longitudeDelta = longitudeDelta
    }
}

/// A rectangle of latitudes and longitudes (MapKit's `MKCoordinateRegion`): half of its span to each side of its centre.
///
/// The centre is halfway between the latitudes. In the flat rectangle that shows the region it is slightly off the
/// middle, because Web Mercator stretches the part farther from the equator.
public struct CoordinateRegion: Codable, Hashable, Sendable {
    /// The centre, halfway between the southern and the northern latitude.
    public var center: Coordinate
    /// The extent in degrees.
    public var span: CoordinateSpan

    /// Creates the region of `span` around `center`.
    public init(center: Coordinate, span: CoordinateSpan) {
        self.center = center
        self.span = span
    }

    /// Creates the region around `center` with this height and, at the centre, this width, in metres.
    ///
    /// Next to a pole any width is the full circle.
    public init(center: Coordinate, latitudinalMeters: Double, longitudinalMeters: Double) {
        let lengths = WGS84.metresPerDegree(atLatitude: center.latitude)
        let height = latitudinalMeters / lengths.latitude
        let width = longitudinalMeters == 0 ? 0 : longitudinalMeters / lengths.longitude
        self.init(
            center: center,
            span: CoordinateSpan(
                latitudeDelta: min(max(height, 0), 180), longitudeDelta: min(max(width, 0), 360)))
    }

    /// Creates the smallest region that contains `rect`, as far as the map extends.
    public init(_ rect: MapRect) {
        let north = MapPoint(x: 0, y: min(max(rect.minY, 0), MapSize.world.height)).latitude
        let south = MapPoint(x: 0, y: min(max(rect.maxY, 0), MapSize.world.height)).latitude
        let width = min(rect.width / MapSize.world.width, 1) * 360
        self.init(
            center: Coordinate(
                clampingLatitude: (north + south) / 2,
                wrappingLongitude: MapPoint(x: rect.midX, y: 0).continuousLongitude),
            span: CoordinateSpan(latitudeDelta: north - south, longitudeDelta: width))
    }

    /// True if `coordinate` is inside the region or on its edge.
    public func contains(_ coordinate: Coordinate) -> Bool {
        abs(coordinate.latitude - center.latitude) <= span.latitudeDelta / 2
            && abs((coordinate.longitude - center.longitude).remainder(dividingBy: 360)) <= span.longitudeDelta / 2
    }
}

extension MapRect {
    /// Creates the rectangle that shows `region`, as far as Web Mercator extends. Across the 180th meridian it
    /// continues outside the world.
    public init(_ region: CoordinateRegion) {
        let north = MapPoint.y(atLatitude: region.center.latitude + region.span.latitudeDelta / 2)
        let south = MapPoint.y(atLatitude: region.center.latitude - region.span.latitudeDelta / 2)
        let width = region.span.longitudeDelta / 360 * MapSize.world.width
        let middle = MapPoint(region.center).x
        self.init(x: middle - width / 2, y: north, width: width, height: south - north)
    }
}
