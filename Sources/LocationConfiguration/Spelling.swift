/// Finds the word that was meant.
package enum Spelling {
    /// Which of `candidates` is nearest to `word`: at most one letter in three and never more than two wrong, missing,
    /// added or swapped with the next; letter case is free. Of equally near ones the first in the alphabet.
    package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().utf8)
        let allowed = min(2, letters.count / 3)
        let near = candidates.filter { abs($0.utf8.count - letters.count) <= allowed }
            .map { (distance: distance(letters, Array($0.lowercased().utf8)), word: $0) }
            .filter { $0.distance <= allowed }
        return near.min { $0 < $1 }?.word
    }

    /// The edit distance with swaps of neighbours ("optimal string alignment").
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                let replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                var best = min(row[j - 1] + 1, last[j] + 1, replaced)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, beforeLast[j - 2] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
