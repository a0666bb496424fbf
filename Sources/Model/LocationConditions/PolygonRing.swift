import LocationModel

/// The plane of the gnomonic projection around a point, which draws great circles as straight lines (J. P. Snyder,
/// "Map projections: a working manual", USGS 1987, chapter 22). It shows less than a hemisphere.
struct GnomonicPlane: Sendable {
    let center: UnitVector
    private let east, north: UnitVector

    init(center: UnitVector) {
        self.center = center
        // Any direction that is not parallel; that of the pole is parallel only near the poles.
        let aside = abs(center.z) < 0.9 ? UnitVector(0, 0, 1) : UnitVector(1, 0, 0)
        east = aside.cross(center).normalized
        north = center.cross(east)
    }

    /// The projection, or `nil` for a point that is not on the plane's hemisphere.
    func point(_ vector: UnitVector) -> SIMD2<Double>? {
        let height = vector.dot(center)
        guard height > 1e-6 else { return nil }
        return SIMD2(vector.dot(east), vector.dot(north)) / height
    }

    /// The inverse of `point(_:)`.
    func vector(_ point: SIMD2<Double>) -> UnitVector { (center + east * point.x + north * point.y).normalized }
}

/// A ring in the plane of its polygon: counter-clockwise, or clockwise as a hole.
///
/// ``verifyApart(_:)`` finds out whether it crosses itself.
struct PolygonRing: Sendable {
    /// Points that are closer than this are one, in radians: 6 mm.
    private static let tolerance = 1e-9
    /// The largest number of pairs of edges that are compared: fifty for each of the points that a polygon may have, and less
    /// than a millisecond.
    static let mostComparisons = 50 * PolygonGeographicCondition.mostPoints

    let coordinates: [Coordinate]
    let points: [SIMD2<Double>]
    /// Their extent.
    private let low, high: SIMD2<Double>

    init(_ ring: [Coordinate], in plane: GnomonicPlane, isHole: Bool) throws(GeographicConditionError) {
        var coordinates: [Coordinate] = []
        var points: [SIMD2<Double>] = []
        for coordinate in ring {
            let vector = UnitVector(at: coordinate)
            guard let point = plane.point(vector),
                vector.angle(to: plane.center) <= PolygonGeographicCondition.largestExtent.radians
            else {
                throw GeographicConditionError(
                    .tooLarge, "The points of a polygon are more than 5,000 km from its middle. Divide it.")
            }
            if let last = points.last, length(point - last) < Self.tolerance { continue }
            coordinates.append(coordinate)
            points.append(point)
        }
        while points.count > 1, length(points[0] - points[points.count - 1]) < Self.tolerance {
            points.removeLast()
            coordinates.removeLast()
        }
        guard points.count >= 3 else {
            throw GeographicConditionError(
                .tooFewPoints, "A ring of a polygon has fewer than 3 different points. Add points or use a circle.")
        }
        let doubledArea = points.indices.reduce(0) { $0 + cross(points[$1], points[($1 + 1) % points.count]) }
        if (doubledArea < 0) != isHole {
            points.reverse()
            coordinates.reverse()
        }
        self.coordinates = coordinates
        self.points = points
        low = points.reduce(points[0], pointwiseMin)
        high = points.reduce(points[0], pointwiseMax)
    }

    /// True if `point` is inside.
    func contains(_ point: SIMD2<Double>) -> Bool {
        all(point .>= low) && all(point .<= high) && PlanarRing.contains(point, in: points)
    }

    /// Verifies that no ring crosses or touches itself or another one: a sweep over the edges of all rings.
    ///
    /// Edges are compared where their extents overlap. That is a few times the number of edges on a map, and half its square for
    /// a zigzag whose edges all lie across each other; ``mostComparisons`` ends that.
    static func verifyApart(_ rings: [PolygonRing]) throws(GeographicConditionError) {
        var edges = rings.indices.flatMap { ring in rings[ring].edges(ofRing: ring) }
        // Along the axis on which they overlap less.
        let widths = edges.reduce(SIMD2<Double>.zero) { $0 + ($1.high - $1.low) }
        let axis = widths.x <= widths.y ? 0 : 1
        edges.sort { $0.low[axis] < $1.low[axis] }
        var comparisons = 0
        for index in edges.indices {
            let edge = edges[index]
            let end = edge.high[axis] + tolerance
            var next = index + 1
            while next < edges.count, edges[next].low[axis] <= end {
                let other = edges[next]
                next += 1
                guard other.low[1 - axis] <= edge.high[1 - axis] + tolerance,
                    edge.low[1 - axis] <= other.high[1 - axis] + tolerance
                else { continue }
                comparisons += 1
                guard comparisons <= mostComparisons else { throw .tooIntricate }
                guard edge.ring == other.ring else {
                    if meet(edge, other) { throw .ringsCross }
                    continue
                }
                let (a, b) = edge.index < other.index ? (edge, other) : (other, edge)
                let isCrossing =
                    if b.index == a.index + 1 {
                        folds(a, b)
                    } else if a.index == 0, b.index == rings[a.ring].points.count - 1 {
                        folds(b, a)
                    } else {
                        meet(a, b)
                    }
                if isCrossing { throw .selfCrossing }
            }
        }
    }

    /// A line between two points of a ring that follow each other, and its extent.
    private struct Edge {
        let from, to: SIMD2<Double>
        let low, high: SIMD2<Double>
        let ring, index: Int
    }

    private func edges(ofRing ring: Int) -> [Edge] {
        points.indices.map { index in
            let (from, to) = (points[index], points[(index + 1) % points.count])
            return Edge(
                from: from, to: to, low: pointwiseMin(from, to), high: pointwiseMax(from, to), ring: ring, index: index)
        }
    }

    /// True if the edge `second`, which begins where `first` ends, returns on it.
    private static func folds(_ first: Edge, _ second: Edge) -> Bool {
        distance(from: second.to, to: first) < tolerance || distance(from: first.from, to: second) < tolerance
    }

    private static func meet(_ a: Edge, _ b: Edge) -> Bool {
        let (u, v) = (a.to - a.from, b.to - b.from)
        let sides = cross(u, b.from - a.from) * cross(u, b.to - a.from)
        if sides < 0, cross(v, a.from - b.from) * cross(v, a.to - b.from) < 0 { return true }
        return min(
            min(distance(from: a.from, to: b), distance(from: a.to, to: b)),
            min(distance(from: b.from, to: a), distance(from: b.to, to: a))) < tolerance
    }

    private static func distance(from point: SIMD2<Double>, to edge: Edge) -> Double {
        let along = edge.to - edge.from
        let share = min(max((along * (point - edge.from)).sum() / (along * along).sum(), 0), 1)
        return length(point - edge.from - along * share)
    }
}

private func cross(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { a.x * b.y - a.y * b.x }
private func length(_ a: SIMD2<Double>) -> Double { (a * a).sum().squareRoot() }
