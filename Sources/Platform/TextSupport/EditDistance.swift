/// The distance between words: the least number of letters to insert, leave out, replace or swap with their neighbour
/// (optimal string alignment; G. Navarro, "A guided tour to approximate string matching", ACM Computing Surveys 33,
/// 2001).
package enum EditDistance {
    /// Returns the distance between two words, given as scalars; `nil` above `limit`.
    ///
    /// - Parameter isPrefix: True if `b` may continue beyond the end of `a`, which is the beginning of a word.
    package static func between(
        _ a: [Unicode.Scalar], _ b: [Unicode.Scalar], limit: Int, isPrefix: Bool = false
    ) -> Int? {
        guard isPrefix ? b.count >= a.count - limit : abs(a.count - b.count) <= limit else { return nil }
        let width = isPrefix ? min(b.count, a.count + limit) : b.count
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: 3 * (width + 1)) { rows -> Int? in
            func cell(_ row: Int, _ column: Int) -> Int { (row % 3) * (width + 1) + column }
            for column in 0...width { rows[cell(0, column)] = column }
            for row in stride(from: 1, through: a.count, by: 1) {
                rows[cell(row, 0)] = row
                var best = row
                for column in stride(from: 1, through: width, by: 1) {
                    let isSame = a[row - 1] == b[column - 1]
                    var value = min(
                        rows[cell(row - 1, column - 1)] + (isSame ? 0 : 1), rows[cell(row - 1, column)] + 1,
                        rows[cell(row, column - 1)] + 1)
                    if row > 1, column > 1, a[row - 1] == b[column - 2], a[row - 2] == b[column - 1] {
                        value = min(value, rows[cell(row - 2, column - 2)] + 1)
                    }
                    rows[cell(row, column)] = value
                    best = min(best, value)
                }
                if best > limit { return nil }
            }
            let result =
                isPrefix
                ? (0...width).map { rows[cell(a.count, $0)] }.min() ?? width : rows[cell(a.count, width)]
            return result <= limit ? result : nil
        }
    }
}
