import Glibc
public import LocationModel

/// A point on the flat map, with x growing to the east and y to the south.
///
/// The world in Web Mercator is 268,435,456 points wide and high, with its origin in the north-west corner, as in
/// MapKit. The projection is that of EPSG:3857 (J. P. Snyder, "Map projections: a working manual", USGS 1987, eq. 7-1
/// and 7-2 on a sphere). Outside 0 to the world's width, x means the same place one turn further: lines and areas
/// across the 180th meridian continue there.
public struct MapPoint: Codable, Hashable, Sendable {
    /// The distance east of the 180th meridian, in points.
    public var x: Double
    /// The distance south of the map's northern edge, in points.
    public var y: Double

    /// Creates the point at `x` and `y`.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Creates the point of `coordinate`. Latitudes beyond ``MapSize/maximumLatitude`` become that latitude.
    public init(_ coordinate: Coordinate) {
        x = (coordinate.longitude + 180) / 360 * MapSize.world.width
        y = MapPoint.y(atLatitude: coordinate.latitude)
    }

    static func y(atLatitude latitude: Double) -> Double {
        let clamped = min(max(latitude, -MapSize.maximumLatitude), MapSize.maximumLatitude)
        let fraction = 0.5 - atanh(sin(clamped * .pi / 180)) / (2 * .pi)
        return min(max(fraction, 0), 1) * MapSize.world.height
    }

    /// The latitude, in degrees north of the equator. Outside the world it exceeds ``MapSize/maximumLatitude``.
    public var latitude: Double {
        atan(sinh((1 - 2 * y / MapSize.world.height) * .pi)) * 180 / .pi
    }

    /// The longitude in degrees east of Greenwich, not wrapped into −180 to 180: one turn further east it is 360 more,
    /// as GeoJSON renderers expect for lines across the 180th meridian.
    public var continuousLongitude: Double { x / MapSize.world.width * 360 - 180 }

    /// The coordinate of the point.
    public var coordinate: Coordinate {
        Coordinate(clampingLatitude: latitude, wrappingLongitude: continuousLongitude)
    }

    /// The same place with x from 0 up to the world's width.
    public var wrapped: MapPoint {
        let width = MapSize.world.width
        if (0..<width).contains(x) { return self }
        let rest = x.truncatingRemainder(dividingBy: width)
        let positive = rest < 0 ? rest + width : rest
        // Rounding can turn a tiny negative value into the width.
        return MapPoint(x: positive < width ? positive : 0, y: y)
    }

    /// The same place within half a world east or west of `other`.
    public func nearest(to other: MapPoint) -> MapPoint {
        let difference = (x - other.x).remainder(dividingBy: MapSize.world.width)
        return abs(x - other.x) <= MapSize.world.width / 2 ? self : MapPoint(x: other.x + difference, y: y)
    }

    /// Returns the geodesic distance to `other`, in metres (MapKit's `MKMetersBetweenMapPoints`).
    public func distance(to other: MapPoint) -> Double { coordinate.distance(to: other.coordinate) }
}

extension Coordinate {
    /// Returns the length of one map point at `latitude` degrees, in metres (MapKit's `MKMetersPerMapPointAtLatitude`).
    ///
    /// This is the scale of Web Mercator on a sphere with WGS 84's equatorial radius; the ellipsoid's true scale
    /// differs by up to 0.7 % from north to south. 0 at the poles.
    public static func metersPerMapPoint(atLatitude latitude: Double) -> Double {
        let clamped = min(max(latitude, -90), 90)
        return max(0, cos(clamped * .pi / 180)) * MapSize.equator / MapSize.world.width
    }

    /// Returns the number of map points in one metre at `latitude` degrees (MapKit's `MKMapPointsPerMeterAtLatitude`).
    ///
    /// Latitudes beyond ``MapSize/maximumLatitude``, the edge of the map, are clamped to it.
    public static func mapPointsPerMeter(atLatitude latitude: Double) -> Double {
        1 / metersPerMapPoint(atLatitude: min(max(latitude, -MapSize.maximumLatitude), MapSize.maximumLatitude))
    }
}
