/// The slope of one figure by another as the median over all pairs of points (Theil and Sen), which is robust to
/// outliers.
struct Trend {
    /// The growth of the second for each unit of the first; 0 without two points.
    let slope: Double

    init(_ points: [(x: Double, y: Double)]) {
        let slopes = points.indices.flatMap { index in
            points[..<index].filter { $0.x < points[index].x }.map {
                (points[index].y - $0.y) / (points[index].x - $0.x)
            }
        }.sorted()
        slope = slopes.isEmpty ? 0 : (slopes[slopes.count / 2] + slopes[(slopes.count - 1) / 2]) / 2
    }
}
