import Glibc
import LocationModel

/// A place on a plane, in metres.
struct Metres: Hashable, Sendable {
    var east: Double
    var north: Double
}

/// The plane that touches the WGS 84 ellipsoid at one point: a small map without seams, at the antimeridian and the poles
/// as anywhere else. It shows lengths 0.01 % too short at 90 km from that point.
///
/// By way of earth-centred coordinates: B. Hofmann-Wellenhof, H. Lichtenegger, J. Collins, "GPS: Theory and Practice"
/// (5th edition, 2001), section 10.2.
struct GroundPlane: Hashable, Sendable {
    private typealias Vector = SIMD3<Double>

    let origin: Coordinate
    private let centre: Vector
    private let east: Vector
    private let north: Vector
    private let up: Vector

    /// The plane that touches at `origin`.
    init(origin: Coordinate) {
        self.origin = origin
        let (sinLatitude, cosLatitude) = (sin(origin.latitude.radians), cos(origin.latitude.radians))
        let (sinLongitude, cosLongitude) = (sin(origin.longitude.radians), cos(origin.longitude.radians))
        centre = Self.vector(origin)
        east = [-sinLongitude, cosLongitude, 0]
        north = [-sinLatitude * cosLongitude, -sinLatitude * sinLongitude, cosLatitude]
        up = [cosLatitude * cosLongitude, cosLatitude * sinLongitude, sinLatitude]
    }

    /// Where a position is on the plane; `nil` on the far side of the earth.
    func metres(of coordinate: Coordinate) -> Metres? {
        let offset = Self.vector(coordinate) - centre
        guard (offset * up).sum() > -Ellipsoid.semiMajorAxis else { return nil }
        return Metres(east: (offset * east).sum(), north: (offset * north).sum())
    }

    /// The position under a place on the plane; the origin where there is none, beyond the edge of the earth.
    func coordinate(at metres: Metres) -> Coordinate {
        let squaredLimit = Ellipsoid.semiMajorAxis * Ellipsoid.semiMajorAxis
        let height = squaredLimit - metres.east * metres.east - metres.north * metres.north
        guard height > 0 else { return origin }
        let point =
            centre + metres.east * east + metres.north * north
            + (height.squareRoot() - Ellipsoid.semiMajorAxis) * up
        return Self.coordinate(point) ?? origin
    }

    private static func vector(_ coordinate: Coordinate) -> Vector {
        let (latitude, longitude) = (coordinate.latitude.radians, coordinate.longitude.radians)
        let radius =
            Ellipsoid.semiMajorAxis / (1 - Ellipsoid.squaredEccentricity * sin(latitude) * sin(latitude)).squareRoot()
        return [
            radius * cos(latitude) * cos(longitude), radius * cos(latitude) * sin(longitude),
            radius * (1 - Ellipsoid.squaredEccentricity) * sin(latitude),
        ]
    }

    /// The position under a point near the surface.
    private static func coordinate(_ point: Vector) -> Coordinate? {
        let distanceFromAxis = hypot(point.x, point.y)
        let semiMinorAxis = Ellipsoid.semiMajorAxis * (1 - Ellipsoid.squaredEccentricity).squareRoot()
        let theta = atan2(point.z * Ellipsoid.semiMajorAxis, distanceFromAxis * semiMinorAxis)
        let secondSquaredEccentricity = Ellipsoid.squaredEccentricity / (1 - Ellipsoid.squaredEccentricity)
        let latitude = atan2(
            point.z + secondSquaredEccentricity * semiMinorAxis * pow(sin(theta), 3),
            distanceFromAxis - Ellipsoid.squaredEccentricity * Ellipsoid.semiMajorAxis * pow(cos(theta), 3))
        return Coordinate(latitude: latitude.degrees, longitude: atan2(point.y, point.x).degrees)
    }
}

/// WGS 84 (NIMA TR8350.2, tables 3.1 and 3.3).
private enum Ellipsoid {
    /// The equatorial radius, in metres.
    static let semiMajorAxis = 6_378_137.0
    static let squaredEccentricity = 6.694_379_990_14e-3
}

extension Double {
    /// An angle in radians of one in degrees.
    var radians: Double { self * .pi / 180 }
    /// An angle in degrees of one in radians.
    fileprivate var degrees: Double { self * 180 / .pi }
}
