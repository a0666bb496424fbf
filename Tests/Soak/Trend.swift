/// How a figure moves with another, by the median of what each pair of points says (Theil and Sen): a few that are far off
/// do not matter.
struct Trend {
    /// By how much the second grows for each one of the first; 0 where there are not two points.
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
