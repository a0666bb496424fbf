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

/// A ring without crossings, in the plane of its polygon: counter-clockwise, or clockwise as a hole.
struct PolygonRing: Sendable {
    /// Points that are closer than this are one, in radians: 6 mm.
    private static let tolerance = 1e-9

    let coordinates: [Coordinate]
    let points: [SIMD2<Double>]

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
        guard !crossesItself else {
            throw GeographicConditionError(
                .selfCrossing, "A ring of a polygon crosses or touches itself. Reorder its points or divide it.")
        }
    }

    /// True if `point` is inside, by the parity of crossings (PNPOLY, W. R. Franklin).
    func contains(_ point: SIMD2<Double>) -> Bool {
        var isInside = false
        var last = points[points.count - 1]
        for next in points {
            if (next.y > point.y) != (last.y > point.y),
                point.x < (last.x - next.x) * (point.y - next.y) / (last.y - next.y) + next.x
            {
                isInside.toggle()
            }
            last = next
        }
        return isInside
    }

    /// True if an edge of this ring meets one of `other`.
    func meets(_ other: PolygonRing) -> Bool {
        Self.anyPair(of: edges.map { ($0, true) } + other.edges.map { ($0, false) }) {
            $0.1 != $1.1 && meet($0.0, $1.0)
        }
    }

    private var crossesItself: Bool {
        let count = points.count
        let numbered = edges.enumerated().map { ($1, $0) }
        return Self.anyPair(of: numbered) { first, second in
            let (a, b) = (first.1 < second.1 ? first : second, first.1 < second.1 ? second : first)
            if b.1 == a.1 + 1 { return folds(a.0, b.0) }
            if a.1 == 0, b.1 == count - 1 { return folds(b.0, a.0) }
            return meet(a.0, b.0)
        }
    }

    private typealias Edge = (from: SIMD2<Double>, to: SIMD2<Double>)

    private var edges: [Edge] { points.indices.map { (points[$0], points[($0 + 1) % points.count]) } }

    /// True if `predicate` holds for a pair whose extents overlap: a sweep from left to right.
    private static func anyPair<Tag>(
        of edges: [(Edge, Tag)], _ predicate: ((Edge, Tag), (Edge, Tag)) -> Bool
    ) -> Bool {
        let sorted = edges.sorted { min($0.0.from.x, $0.0.to.x) < min($1.0.from.x, $1.0.to.x) }
        for (index, edge) in sorted.enumerated() {
            let right = max(edge.0.from.x, edge.0.to.x) + tolerance
            for other in sorted[(index + 1)...] {
                if min(other.0.from.x, other.0.to.x) > right { break }
                if predicate(edge, other) { return true }
            }
        }
        return false
    }

    /// True if the edge `second`, which begins where `first` ends, returns on it.
    private func folds(_ first: Edge, _ second: Edge) -> Bool {
        distance(from: second.to, to: first) < Self.tolerance || distance(from: first.from, to: second) < Self.tolerance
    }

    private func meet(_ a: Edge, _ b: Edge) -> Bool {
        let (u, v) = (a.to - a.from, b.to - b.from)
        let sides = cross(u, b.from - a.from) * cross(u, b.to - a.from)
        if sides < 0, cross(v, a.from - b.from) * cross(v, a.to - b.from) < 0 { return true }
        return min(
            min(distance(from: a.from, to: b), distance(from: a.to, to: b)),
            min(distance(from: b.from, to: a), distance(from: b.to, to: a))) < Self.tolerance
    }

    private func distance(from point: SIMD2<Double>, to edge: Edge) -> Double {
        let along = edge.to - edge.from
        let share = min(max((along * (point - edge.from)).sum() / (along * along).sum(), 0), 1)
        return length(point - edge.from - along * share)
    }
}

private func cross(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { a.x * b.y - a.y * b.x }
private func length(_ a: SIMD2<Double>) -> Double { (a * a).sum().squareRoot() }
