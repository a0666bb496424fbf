public import LocationModel

/// A condition that is satisfied inside a ring and outside of its holes.
///
/// Edges are great circles of the sphere of geodetic latitudes: they differ from the shortest path on the ellipsoid by
/// less than 1 m for edges up to 100 km. Rings may be given clockwise or counter-clockwise, with or without a repetition
/// of the first point at the end, across the 180th meridian and around a pole. The inside is the part that does not
/// contain the point opposite to the polygon's middle.
public struct PolygonGeographicCondition: Hashable, Sendable {
    /// The largest number of points of all rings together.
    public static let mostPoints = 1_000
    /// The largest distance of a point from the middle of the outer ring, in degrees of arc: about 5,000 km.
    public static let largestExtent = 45.0

    private let shape: Shape

    /// The outer ring, counter-clockwise, without a repetition of the first point.
    public var ring: [Coordinate] { shape.rings[0].coordinates }
    /// The holes, clockwise.
    public var holes: [[Coordinate]] { shape.rings.dropFirst().map(\.coordinates) }

    /// The number of points of all rings together.
    package var pointCount: Int { shape.rings.reduce(0) { $0 + $1.points.count } }

    /// Creates a polygon.
    ///
    /// - Parameters:
    ///   - ring: The outer ring, 3 points or more.
    ///   - holes: Rings inside the outer one that exclude their insides. They must not touch another ring.
    /// - Throws: ``GeographicConditionError`` if a ring has fewer than 3 different points or crosses or touches itself or
    ///   another one, if a hole is not inside, or if there are too many points or they are too far apart.
    public init(ring: [Coordinate], holes: [[Coordinate]] = []) throws(GeographicConditionError) {
        shape = try Shape(ring: ring, holes: holes)
    }

    /// Returns the distance from `coordinate` to the nearest border in metres, negative inside.
    ///
    /// Accurate to 0.01 % (the foot of the perpendicular is found on the sphere, the distance to it on the ellipsoid).
    public func signedDistance(from coordinate: Coordinate) -> Double { shape.signedDistance(from: coordinate) }

    /// The middle and the radius, in radians, of a circle on the unit sphere that contains the polygon.
    var cap: (center: UnitVector, angle: Double) { (shape.plane.center, shape.capAngle) }

    /// The size that a fix's accuracy is compared with, in metres: the radius of the circle around the polygon.
    var size: Double { CurvatureBounds.smallest * shape.capAngle }

    /// Two polygons are equal if their rings are.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.shape === rhs.shape || (lhs.ring == rhs.ring && lhs.holes == rhs.holes)
    }

    /// Hashes the outer ring.
    public func hash(into hasher: inout Hasher) { hasher.combine(ring) }
}

/// A polygon's rings, shared by its copies.
private final class Shape: Sendable {
    let plane: GnomonicPlane
    let rings: [PolygonRing]
    let capAngle: Double

    init(ring: [Coordinate], holes: [[Coordinate]]) throws(GeographicConditionError) {
        let count = ring.count + holes.map(\.count).reduce(0, +)
        guard count <= PolygonGeographicCondition.mostPoints else {
            throw .tooManyPoints(count)
        }
        let sum = ring.reduce(UnitVector.zero) { $0 + UnitVector(at: $1) }
        // The points of a ring around the earth have no middle.
        let plane = GnomonicPlane(center: sum.length > 1e-6 ? sum.normalized : UnitVector(0, 0, 1))
        self.plane = plane
        let outer = try PolygonRing(ring, in: plane, isHole: false)
        var rings = [outer]
        for hole in holes { rings.append(try PolygonRing(hole, in: plane, isHole: true)) }
        try PolygonRing.verifyApart(rings)
        for (index, hole) in rings.enumerated().dropFirst() {
            guard outer.contains(hole.points[0]) else {
                throw GeographicConditionError(
                    .holeOutside, "A hole of a polygon is outside of its outer ring. Move it inside or remove it.")
            }
            // One hole inside another is refused: what is inside both is ambiguous.
            let isNested = rings[1..<index].contains { $0.contains(hole.points[0]) || hole.contains($0.points[0]) }
            guard !isNested else { throw .ringsCross }
        }
        self.rings = rings
        capAngle = outer.points.map { plane.vector($0).angle(to: plane.center) }.max() ?? 0
    }

    func signedDistance(from coordinate: Coordinate) -> Double {
        let here = UnitVector(at: coordinate)
        var feet: [(angle: Double, foot: UnitVector)] = []
        var nearest = Double.infinity
        // The ratio of distances in different directions differs from that of the angles by 1 % at most.
        let tolerance = CurvatureBounds.largest / CurvatureBounds.smallest
        for ring in rings {
            var last = plane.vector(ring.points[ring.points.count - 1])
            for point in ring.points {
                let next = plane.vector(point)
                let foot = here.nearest(onArcFrom: last, to: next)
                let angle = (here - foot).length
                if angle <= nearest * tolerance { feet.append((angle, foot)) }
                nearest = min(nearest, angle)
                last = next
            }
        }
        let candidates = feet.filter { $0.angle <= nearest * tolerance }
        let distance = candidates.map { coordinate.distance(to: $0.foot.coordinate) }.min() ?? .infinity
        return contains(here) ? -distance : distance
    }

    private func contains(_ vector: UnitVector) -> Bool {
        guard let point = plane.point(vector) else { return false }
        return rings[0].contains(point) && !rings.dropFirst().contains { $0.contains(point) }
    }
}
