import LocationModel
import TextSupport

// Misspelt words, lost spaces and added ones.

extension SearchEngine {
    /// The distance within which a place belongs to the neighbourhood, in metres.
    static let neighbourhood = 100_000.0

    /// Words that a query may mean.
    private struct Variant {
        var words: [String] = []
        /// The number of different letters and spaces.
        var mistakes = 0
        /// The importance of the least important corrected word.
        var importance = Int.max
    }

    /// The greatest number of words of a text that is corrected.
    private static let maximumWords = 9
    /// The greatest number of variants that are searched for.
    private static let maximumVariants = 12

    /// Returns the places for corrected words: those of the regions, and those of the rest of the world unless a region has
    /// some and the text is incomplete.
    ///
    /// - Parameter isComplete: True if the last word is complete, unless that finds nothing.
    func corrected(
        _ words: [String], isPrefix: Bool, isComplete: Bool, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        guard words.count <= Self.maximumWords else { return [] }
        // The interpretations before have used most of the queries.
        budget = max(budget, 24)
        guard scope.center != nil, !regions.isEmpty else {
            return try corrected(words, isPrefix: isPrefix, isComplete: isComplete, in: indexes.indices, scope)
        }
        var found = try corrected(words, isPrefix: isPrefix, isComplete: isComplete, in: regions, scope)
        if !isComplete, found.contains(where: { isNear($0, scope) }) { return found }
        found += try corrected(
            words, isPrefix: isPrefix, isComplete: isComplete, in: regions.upperBound..<indexes.count, scope)
        return found
    }

    /// True if a place is in the neighbourhood, or the neighbourhood is unknown.
    func isNear(_ found: Found, _ scope: Scope) -> Bool {
        scope.center.map { MeanSphere.distance(from: $0.degrees, to: found.position) <= Self.neighbourhood } ?? true
    }

    private func corrected(
        _ words: [String], isPrefix: Bool, isComplete: Bool, in numbers: Range<Int>, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        if isComplete {
            let whole = try corrected(words, isPrefix: false, in: numbers, scope)
            if !whole.isEmpty { return whole }
        }
        return isComplete && !isPrefix ? [] : try corrected(words, isPrefix: isPrefix, in: numbers, scope)
    }

    private func corrected(
        _ words: [String], isPrefix: Bool, in numbers: Range<Int>, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        var found: [Found] = []
        var least: Int?
        for variant in try variants(of: words, isPrefix: isPrefix, in: numbers) where variant.words != words {
            // Once one is found, those with more mistakes are not the intended ones.
            if let least, variant.mistakes > least { break }
            // A complete word with a mistake may also be the beginning of another.
            var items = try named(variant.words, isPrefix: isPrefix, scope, in: numbers)
            if items.isEmpty { items = try inContext(variant.words, isPrefix: false, scope) }
            if !items.isEmpty { least = least ?? variant.mistakes }
            found += items.map { item in
                corrected(item, variant.words, mistakes: variant.mistakes, isPrefix: isPrefix)
            }
        }
        return found.isEmpty ? try similar(to: words, isPrefix: isPrefix, in: numbers, scope) : found
    }

    private func corrected(_ item: Found, _ words: [String], mistakes: Int, isPrefix: Bool) -> Found {
        var item = item
        item.score -= 1.2 * Double(mistakes)
        // An unfinished word may become another name, and few people make mistakes in a place's less common names.
        if isPrefix && item.match == .exact || item.candidate.alias != nil { item.score -= 1 }
        item.match = min(item.match, .words)
        item.corrected = words
        return item
    }

    // MARK: Variants

    /// Returns what the words may mean, that with the fewest mistakes first. A word that the indexes have stays, except that
    /// it may belong to the word beside it.
    private func variants(
        of words: [String], isPrefix: Bool, in numbers: Range<Int>
    ) throws(PlaceIndexError) -> [Variant] {
        var results: [Variant] = []
        for position in 0..<max(0, words.count - 1) {
            let isLast = isPrefix && position + 2 == words.count
            for join in try joins(words[position], words[position + 1], isPrefix: isLast, in: numbers) {
                var whole = words
                whole.replaceSubrange(position...(position + 1), with: join.words)
                results.append(Variant(words: whole, mistakes: join.mistakes, importance: join.importance))
            }
            for pair in try shifts(words[position], words[position + 1], isPrefix: isLast, in: numbers) {
                var whole = words
                whole.replaceSubrange(position...(position + 1), with: pair)
                results.append(Variant(words: whole, mistakes: 1))
            }
        }
        var partial = [Variant()]
        for (position, word) in words.enumerated() {
            let options = try options(
                for: word, isPrefix: isPrefix && position == words.count - 1, in: numbers)
            partial = partial.flatMap { variant in
                options.map {
                    Variant(
                        words: variant.words + $0.words, mistakes: variant.mistakes + $0.mistakes,
                        importance: min(variant.importance, $0.importance))
                }
            }
            partial = Self.likeliest(partial)
        }
        return Self.likeliest(results + partial)
    }

    private static func likeliest(_ variants: [Variant]) -> [Variant] {
        // One mistake more outweighs an importance a hundred times as large.
        Array(
            variants.sorted { ($0.mistakes, -$0.importance) < ($1.mistakes, -$1.importance) }.prefix(maximumVariants))
    }

    /// Returns the words that a word may stand for: itself if the indexes have it.
    private func options(
        for word: String, isPrefix: Bool, in numbers: Range<Int>
    ) throws(PlaceIndexError) -> [Variant] {
        let unchanged = [Variant(words: [word])]
        if try has([word], isPrefix: isPrefix, in: numbers) { return unchanged }
        for whole in StreetWords.writtenOut(word) where try has([whole], isPrefix: isPrefix, in: numbers) {
            return [Variant(words: [whole])]
        }
        // "I80" is "I-80", and "1я" is "1-я".
        let parts = word.indices.dropFirst().first { word[$0].isNumber != word[word.index(before: $0)].isNumber }
            .map { [String(word[..<$0]), String(word[$0...])] }
        if let parts, try has(parts, isPrefix: isPrefix, in: numbers) { return [Variant(words: parts)] }
        // A short form is not misspelt.
        guard word.utf8.count >= 4, StreetWords.meaning(of: word) == nil else { return unchanged }
        // Umlauts may be written with two letters.
        let plain = [("ae", "a"), ("oe", "o"), ("ue", "u"), ("aa", "a")].reduce(word) { $0.replacing($1.0, with: $1.1) }
        if plain != word, try has([plain], isPrefix: isPrefix, in: numbers) { return [Variant(words: [plain])] }
        var found = try corrections(of: word, isPrefix: isPrefix, in: numbers)
        found += try splits(of: word, isPrefix: isPrefix, in: numbers)
        return found.isEmpty ? unchanged : Self.likeliest(found)
    }

    private func corrections(
        of word: String, isPrefix: Bool, in numbers: Range<Int>
    ) throws(PlaceIndexError) -> [Variant] {
        var found: [Variant] = []
        for number in numbers {
            found += try indexes[number].corrections(of: word, isPrefix: isPrefix, limit: 6).map {
                Variant(words: $0.words, mistakes: $0.mistakes, importance: $0.importance)
            }
        }
        var seen: Set<[String]> = []
        return Array(Self.likeliest(found).filter { seen.insert($0.words).inserted }.prefix(6))
    }

    /// Returns the two words of one name that a word may be without the space between them, or with a letter instead of it.
    private func splits(
        of word: String, isPrefix: Bool, in numbers: Range<Int>
    ) throws(PlaceIndexError) -> [Variant] {
        let letters = Array(word.unicodeScalars)
        guard letters.count >= 5, letters.count <= 30 else { return [] }
        var found: [Variant] = []
        for place in 2...(letters.count - 2) {
            let first = String(String.UnicodeScalarView(letters[..<place]))
            let second = String(String.UnicodeScalarView(letters[place...]))
            if try has([first, second], isPrefix: isPrefix, in: numbers) {
                found.append(Variant(words: [first, second], mistakes: 1))
            }
        }
        guard found.isEmpty else { return found }
        for place in 2..<(letters.count - 2) {
            let first = String(String.UnicodeScalarView(letters[..<place]))
            guard try has([first], isPrefix: false, in: numbers) else { continue }
            let second = String(String.UnicodeScalarView(letters[(place + 1)...]))
            if try has([first, second], isPrefix: isPrefix, in: numbers) {
                found.append(Variant(words: [first, second], mistakes: 1))
            }
        }
        return found
    }

    /// Returns the pairs of words of one name that two words may be whose space was typed a letter too early or too late.
    private func shifts(
        _ first: String, _ second: String, isPrefix: Bool, in numbers: Range<Int>
    ) throws(PlaceIndexError) -> [[String]] {
        var pairs: [[String]] = []
        if let last = first.last, first.count > 1 { pairs.append([String(first.dropLast()), "\(last)\(second)"]) }
        if let next = second.first, second.count > 1 { pairs.append(["\(first)\(next)", String(second.dropFirst())]) }
        var found: [[String]] = []
        for pair in pairs where try has(pair, isPrefix: isPrefix, in: numbers) { found.append(pair) }
        return found
    }

    /// Returns the words that two words with a space too much between them may be.
    private func joins(
        _ first: String, _ second: String, isPrefix: Bool, in numbers: Range<Int>
    ) throws(PlaceIndexError) -> [Variant] {
        for end in StreetWords.suffixes(of: second) where try has([first + end], isPrefix: false, in: numbers) {
            return [Variant(words: [first + end])]
        }
        let whole = first + second
        guard whole.utf8.count <= Folding.maximumWordLength else { return [] }
        if try has([whole], isPrefix: isPrefix, in: numbers) { return [Variant(words: [whole], mistakes: 1)] }
        // A slip besides, unless both are words.
        guard whole.utf8.count >= 6 else { return [] }
        if try has([first], isPrefix: false, in: numbers) {
            guard try !has([second], isPrefix: isPrefix, in: numbers) else { return [] }
        }
        return try corrections(of: whole, isPrefix: isPrefix, in: numbers).prefix(2).map {
            Variant(words: $0.words, mistakes: $0.mistakes + 1, importance: $0.importance)
        }
    }

    /// True if an index has one name with all the words, the last of which may be a prefix.
    func has(_ words: [String], isPrefix: Bool, in numbers: some Sequence<Int>) throws(PlaceIndexError) -> Bool {
        for number in numbers where try indexes[number].has(words, isPrefix: isPrefix) { return true }
        return false
    }

    // MARK: Similar names

    /// True if `word` is the longer `other` without one of its letters but the first.
    private static func isLettersOf(_ word: String, _ other: String) -> Bool {
        other.first == word.first && other.count == word.count + 1
    }

    /// Returns the places whose names have all the words but one, and a similar word instead of it: "Red Robin" finds "Red
    /// Robbin", even if something else has the word "Robin".
    private func similar(
        to words: [String], isPrefix: Bool, in numbers: Range<Int>, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        guard words.count >= 2 else { return [] }
        var found: [Found] = []
        // One query for each word.
        for (position, word) in words.enumerated() {
            let letters = Array(word.unicodeScalars)
            // Beside another word, a word of two letters may be one of three.
            let allowance = max(PlaceIndex.allowance(letters.count), letters.count > 1 ? 1 : 0)
            guard allowance > 0 else { continue }
            let isLast = position == words.count - 1
            var others = words
            others.remove(at: position)
            for number in numbers {
                let candidates = try indexes[number].candidates(
                    words: others, isPrefix: isPrefix && !isLast, around: scope.center, limit: 2 * Self.rows)
                for candidate in candidates where scope.kinds?.contains(candidate.kind) ?? true {
                    let near = Folding.words(Folding.fold(candidate.name)).filter {
                        letters.count > 3 || Self.isLettersOf(word, $0)
                    }.compactMap { part in
                        EditDistance.between(
                            letters, Array(part.unicodeScalars), limit: allowance, isPrefix: isPrefix && isLast
                        ).map { (mistakes: $0, part: part) }
                    }.min { $0.mistakes < $1.mistakes }
                    guard let near else { continue }
                    var meant = words
                    meant[position] = near.part
                    guard let item = try assess(candidate, number, meant, isPrefix: isPrefix, scope) else { continue }
                    found.append(corrected(item, meant, mistakes: near.mistakes, isPrefix: isPrefix))
                }
            }
        }
        return found
    }
}
