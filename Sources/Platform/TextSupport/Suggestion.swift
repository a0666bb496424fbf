extension Sequence<String> {
    /// The one that `word` was probably meant to be, ignoring case: at most one letter in three and never more than two
    /// wrong, missing, added or swapped with the next. Of equally near ones, the first in the alphabet.
    package func suggestion(for word: String) -> String? {
        let letters = Array(word.lowercased().unicodeScalars)
        let allowed = Swift.min(2, letters.count / 3)
        let near = compactMap { candidate in
            EditDistance.between(letters, Array(candidate.lowercased().unicodeScalars), limit: allowed)
                .map { (distance: $0, word: candidate) }
        }
        return near.min { $0 < $1 }?.word
    }
}
