import SQLite
import TextSupport

// Corrections of misspelt words.

extension PlaceIndex {
    /// A word that a misspelt one may stand for.
    struct Correction {
        /// One word, or those of another name that was typed without its spaces.
        var words: [String]
        /// The number of different letters.
        var mistakes: Int
        /// The importance of the most important place with the word.
        var importance: Int
    }

    /// True if a name has the word or, for a prefix, a word that begins with it.
    func knows(_ word: String, isPrefix: Bool) throws(PlaceIndexError) -> Bool {
        try !database.rows(
            "SELECT 1 FROM word WHERE text >= ? AND text < ? LIMIT 1",
            [.text(word), .text(word + (isPrefix ? "\u{10FFFF}" : "\u{1}"))]
        ) { (_) throws(PlaceIndexError) in true }.isEmpty
    }

    /// Returns the words nearest to a misspelt one, the likeliest first.
    ///
    /// Because mistakes are few, one half of the word has none. The words that begin like it are a range of the table,
    /// and those that end like it a range of the table of reversed words; only these are compared.
    func corrections(of word: String, isPrefix: Bool, limit: Int) throws(PlaceIndexError) -> [Correction] {
        let letters = Array(word.unicodeScalars.prefix(Folding.maximumWordLength))
        let allowance = Self.allowance(letters.count)
        guard allowance > 0 else { return [] }
        let half = letters.count / 2
        var found: [String: Int] = [:]
        let start = String(String.UnicodeScalarView(letters[..<half]))
        let longest = isPrefix ? 64 : letters.count + allowance
        let forward = try database.rows(
            "SELECT text FROM word WHERE text >= ? AND text < ? AND length(text) BETWEEN ? AND ? LIMIT 5000",
            [.text(start), .text(start + "\u{10FFFF}"), SQLValue(letters.count - allowance), SQLValue(longest)]
        ) { (row) throws(PlaceIndexError) in try row.text(0) }
        for text in forward {
            if let mistakes = EditDistance.between(
                letters, Array(text.unicodeScalars), limit: allowance, isPrefix: isPrefix)
            {
                found[text] = mistakes
            }
        }
        // Two letters exchanged across the middle change both halves.
        var swapped = letters
        swapped.swapAt(half - 1, half)
        let middle = String(String.UnicodeScalarView(swapped))
        if try knows(middle, isPrefix: isPrefix) { found[middle] = 1 }
        let backwards = Array(letters.reversed())
        let end = String(String.UnicodeScalarView(backwards[..<(letters.count - half)]))
        let reversed = try database.rows(
            "SELECT text FROM reversed WHERE text >= ? AND text < ? AND length(text) BETWEEN ? AND ? LIMIT 5000",
            [
                .text(end), .text(end + "\u{10FFFF}"), SQLValue(letters.count - allowance),
                SQLValue(letters.count + allowance),
            ]
        ) { (row) throws(PlaceIndexError) in try row.text(0) }
        for text in reversed {
            let scalars = Array(text.unicodeScalars)
            if let mistakes = EditDistance.between(backwards, scalars, limit: allowance) {
                let word = String(String.UnicodeScalarView(scalars.reversed()))
                found[word] = min(mistakes, found[word] ?? .max)
            }
        }
        var corrections = try ranked(found, limit: limit)
        if !isPrefix { corrections += try aliases(like: letters, allowance: allowance) }
        return corrections
    }

    /// The other names that begin like a misspelt word, in which a missing space is a mistake. A mistake in the first half of
    /// one is not found: no table has them reversed.
    private func aliases(
        like letters: [Unicode.Scalar], allowance: Int
    ) throws(PlaceIndexError) -> [Correction] {
        let start = String(String.UnicodeScalarView(letters[..<(letters.count / 2)]))
        return try database.rows(
            """
            SELECT key, max(importance) FROM alias JOIN place ON id = place WHERE key >= ? AND key < ?
            AND length(key) BETWEEN ? AND ? GROUP BY key LIMIT 5000
            """,
            [
                // Names of three letters are codes of countries and airports.
                .text(start), .text(start + "\u{10FFFF}"), SQLValue(max(4, letters.count - allowance)),
                SQLValue(letters.count + allowance),
            ]
        ) { (row) throws(PlaceIndexError) in
            let key = try row.text(0)
            let mistakes = EditDistance.between(letters, Array(key.unicodeScalars), limit: allowance)
            let importance = Int(try row.integer(1, as: Int16.self))
            return mistakes.map { Correction(words: Folding.words(key), mistakes: $0, importance: importance) }
        }.compactMap { $0 }
    }

    /// Returns the greatest number of mistakes for a length: one for each five letters, at least one from four letters,
    /// at most three.
    static func allowance(_ length: Int) -> Int { length < 4 ? 0 : max(1, min(3, length / 5)) }

    private func ranked(_ found: [String: Int], limit: Int) throws(PlaceIndexError) -> [Correction] {
        // Among many, only those with the fewest mistakes count.
        let least = found.values.min() ?? 0
        var corrections: [Correction] = []
        for (word, mistakes) in found.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }).prefix(200)
        where mistakes <= least + 1 {
            let importance =
                try database.rows(
                    "SELECT importance FROM word JOIN place ON id = best WHERE text >= ? ORDER BY text LIMIT 1",
                    [.text(word)]
                ) { (row) throws(PlaceIndexError) in try row.integer(0, as: Int16.self) }.first ?? 0
            corrections.append(Correction(words: [word], mistakes: mistakes, importance: Int(importance)))
        }
        // One mistake more outweighs an importance a hundred times as large.
        corrections.sort { $0.importance - 200 * $0.mistakes > $1.importance - 200 * $1.mistakes }
        return Array(corrections.prefix(limit))
    }
}
