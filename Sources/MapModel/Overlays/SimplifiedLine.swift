/// A line that can be drawn with few points at any zoom.
///
/// For each point it knows the tolerance up to which the point is needed: that of D. Douglas and T. Peucker, "Algorithms for
/// the reduction of the number of points required to represent a digitized line", Cartographica 10 (1973), computed once
/// for all tolerances, so that a zoom takes one pass. No point left out lies farther from the line than the tolerance, and
/// what is drawn at a zoom has all points of lower zooms.
public struct SimplifiedLine: Sendable {
    /// All points.
    public let points: [MapPoint]
    /// Up to which tolerance each point is needed, in map points.
    private let needs: [Double]

    /// Prepares `points`, a line without jumps as in ``LineGeometry/lines``. For 100,000 points it takes some milliseconds;
    /// lines that would take the square of that, such as spirals, are split evenly after 200 levels.
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
            // A spiral can make each split take one point off: then halves are as good, and none is left out wrongly.
            if part.depth > 200 { farthest = (part.first + part.last) / 2 }
            needs[farthest] = need
            open.append((part.first, farthest, need, part.depth + 1))
            open.append((farthest, part.last, need, part.depth + 1))
        }
    }

    /// The points that are needed so that no other lies farther than `tolerance` map points from the line.
    public func points(tolerance: Double) -> [MapPoint] {
        points.indices.filter { needs[$0] > tolerance }.map { points[$0] }
    }

    /// The points that are needed at `zoom` for an error of at most half a pixel, or as many pixels as given.
    public func points(zoom: Double, pixels: Double = 0.5) -> [MapPoint] {
        points(tolerance: pixels * Viewport.mapPointsPerPixel(atZoom: zoom))
    }
}
