/// A line with precomputed simplifications for every zoom.
///
/// For each point it stores the tolerance up to which the point is needed: that of D. Douglas and T. Peucker,
/// "Algorithms for the reduction of the number of points required to represent a digitized line", Cartographica 10
/// (1973), computed once for all tolerances, so that a zoom takes one pass. An omitted point is never farther from the
/// line than the tolerance, and the points at a zoom include those of all lower zooms.
public struct SimplifiedLine: Sendable {
    /// All points.
    public let points: [MapPoint]
    /// The tolerance up to which each point is needed, in map points.
    private let needs: [Double]

    /// Prepares `points`, a line without jumps as in ``LineGeometry/lines``. 100,000 points take some milliseconds;
    /// lines that would take quadratic time, such as spirals, are split evenly after 200 levels.
    public init(_ points: [MapPoint]) {
        self.points = points
        var needs = [Double](repeating: 0, count: points.count)
        if let last = points.indices.last {
            needs[0] = .infinity
            needs[last] = .infinity
            Self.split(points, into: &needs)
        }
        self.needs = needs
    }

    private static func split(_ points: [MapPoint], into needs: inout [Double]) {
        var open: [(first: Int, last: Int, limit: Double, depth: Int)] = [(0, points.count - 1, .infinity, 0)]
        while let part = open.popLast() {
            guard part.last - part.first > 1 else { continue }
            var (farthest, distance) = ((part.first + part.last) / 2, -1.0)
            for index in part.first + 1..<part.last {
                let candidate = points[index].distance(toSegment: points[part.first], points[part.last])
                if candidate > distance { (farthest, distance) = (index, candidate) }
            }
            let need = min(distance, part.limit)
            // In a spiral each split can separate a single point. Splitting in half is as good, and omits no point
            // wrongly.
            if part.depth > 200 { farthest = (part.first + part.last) / 2 }
            needs[farthest] = need
            open.append((part.first, farthest, need, part.depth + 1))
            open.append((farthest, part.last, need, part.depth + 1))
        }
    }

    /// The points needed to keep all others within `tolerance` map points of the line.
    public func points(tolerance: Double) -> [MapPoint] {
        points.indices.filter { needs[$0] > tolerance }.map { points[$0] }
    }

    /// The points needed at `zoom` for an error of at most `pixels`.
    public func points(zoom: Double, pixels: Double = 0.5) -> [MapPoint] {
        points(tolerance: pixels * Viewport.mapPointsPerPixel(atZoom: zoom))
    }
}
