import Glibc
import LocationModel

/// The unit normal of the ellipsoid at a position (the n-vector): no pole and no meridian is special.
///
/// K. Gade, "A non-singular horizontal position representation", Journal of Navigation 63 (2010).
typealias UnitVector = SIMD3<Double>

extension SIMD3<Double> {
    /// The normal at `coordinate`.
    init(at coordinate: Coordinate) {
        let (latitude, longitude) = (coordinate.latitude.radians, coordinate.longitude.radians)
        self.init(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    /// The position with this normal.
    var coordinate: Coordinate {
        Coordinate(
            clampingLatitude: atan2(z, hypot(x, y)) * 180 / .pi, wrappingLongitude: atan2(y, x) * 180 / .pi)
    }

    func dot(_ other: Self) -> Double { (self * other).sum() }

    func cross(_ other: Self) -> Self {
        Self(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    var length: Double { dot(self).squareRoot() }
    var normalized: Self { self / length }

    /// The angle to `other` in radians, 0 to π; exact for small angles, too.
    func angle(to other: Self) -> Double { atan2(cross(other).length, dot(other)) }

    /// The point nearest to this one on the shorter great-circle arc from `a` to `b`.
    func nearest(onArcFrom a: Self, to b: Self) -> Self {
        let pole = a.cross(b)
        let foot = self - pole * (dot(pole) / pole.dot(pole))
        // Between the ends if it is left of the plane through a and right of the one through b.
        if pole.cross(a).dot(foot) >= 0, pole.cross(b).dot(foot) <= 0, foot.dot(foot) > 0 { return foot.normalized }
        return dot(a) >= dot(b) ? a : b
    }
}

/// Bounds of a distance on the ellipsoid by the angle between the normals.
///
/// A line element of the ellipsoid is M·dφ to the north and N·cos φ·dλ to the east; both radii of curvature lie between
/// that of the meridian at the equator and that at the poles, and so does the ratio of any path's length to its image on
/// the unit sphere (J. P. Snyder, "Map projections: a working manual", USGS 1987, eq. 4-18 and 4-20).
enum CurvatureBounds {
    /// The smallest radius of curvature, in metres: that of the meridian at the equator.
    static let smallest = WGS84.semiMajorAxis * (1 - WGS84.squaredEccentricity)
    /// The largest radius of curvature, in metres: that at the poles.
    static let largest = WGS84.semiMajorAxis / (1 - WGS84.squaredEccentricity).squareRoot()

    /// The range of the distance in metres for an angle in radians.
    static func distance(angle: Double) -> ClosedRange<Double> { smallest * angle...largest * angle }
}
