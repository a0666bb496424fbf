/// A typed query, parsed.
struct PlaceQuery {
    /// The greatest number of characters to read, which bounds the time of a search.
    static let maximumLength = 200
    static let maximumWords = 12

    /// The words, folded.
    let words: [String]
    /// The words that may be house numbers, each with the number in the form of an index.
    let numbers: [(words: Range<Int>, number: String)]
    /// The positions of words that name a flat or floor, or say that a house has no number.
    let details: Details
    /// The words before and after a word for "near" or "in"; `nil` without one.
    let parts: (what: [String], place: [String])?
    /// The names of two streets on either side of a sign or word such as "&" or "und"; `nil` without one.
    let streets: (first: [String], second: [String])?
    /// True if the query is about the surroundings: "near me", "in der Nähe". Without other words it is about nothing else.
    let isNearby: Bool
    /// True if the last word may be a prefix.
    let isPrefix: Bool
    /// True while more letters may follow.
    let isTyping: Bool

    /// The folded words, separated by a space.
    var key: String { words.joined(separator: " ") }

    /// Parses `text`.
    ///
    /// - Parameters:
    ///   - isTyping: True if more letters may follow.
    ///   - isNearby: True if the query is about the surroundings whatever its words are.
    init(_ text: String, isTyping: Bool, isNearby: Bool = false) {
        let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maximumLength)))
        var words: [String] = []
        var numbers: [(Range<Int>, String)] = []
        var details = Details()
        let tokens = Self.tokens(of: text)
        let tokenDetails = TokenDetails(of: tokens)
        for (position, token) in tokens.enumerated() {
            let start = words.count
            defer { details.add(tokenDetails, at: position, words: start..<words.count) }
            if let short = StreetWords.shortForm(in: token) ?? Self.numberWord(in: token) {
                words.append(short)
                continue
            }
            let folded = Folding.words(Folding.fold(token))
            var number = HouseNumber.written(token).drop { $0 == "#" || $0 == "№" }
            // Hungarians end a number with a point; elsewhere such a number is a day.
            if position > 0, number.last == "." { number = number.dropLast() }
            let next = words.count + folded.count
            if Self.isHouseNumber(number) {
                if let last = numbers.last, last.0.upperBound == words.count, Self.hasPart(last.1) {
                    numbers.append((last.0.lowerBound..<next, last.1 + number))
                } else if let last = words.last, Self.numberWords.contains(last) {
                    numbers.append((words.count - 1..<next, String(number)))
                }
                numbers.append((words.count..<next, String(number)))
            } else if let last = numbers.last, last.0.upperBound == words.count, folded.count == 1,
                folded[0].unicodeScalars.count == 1 || Self.suffixes.contains(folded[0]) || Self.isPart(folded[0]),
                last.1.utf8.allSatisfy({ (48...57).contains($0) })
            {
                // "5 a" is "5a", or a word of its own.
                numbers.append((last.0.lowerBound..<next, last.1 + folded[0]))
            } else if Self.isLettered(number) {
                numbers.append((words.count..<next, String(number)))
            }
            words += folded
        }
        words = Array(words.prefix(Self.maximumWords))
        var isNearby = isNearby
        for phrase in Self.here where words.count >= phrase.count && Array(words.suffix(phrase.count)) == phrase {
            // "Here" alone may be a name.
            if words == phrase, Self.names.contains(words[0]) { continue }
            words.removeLast(phrase.count)
            isNearby = true
            break
        }
        // "Nearest pharmacy", "la pharmacie la plus proche".
        let nearest = Self.nearest.lazy.compactMap { phrase in
            words.indices.first { words[$0...].starts(with: phrase) }.map { $0..<$0 + phrase.count }
        }.first
        if let nearest, nearest.count < words.count, !isTyping || nearest.upperBound < words.count {
            words.removeSubrange(nearest)
            if words.count > 1, let first = words.first, Self.articles.contains(first) { words.removeFirst() }
            numbers.removeAll()
            isNearby = true
        }
        self.isNearby = isNearby
        self.isTyping = isTyping
        self.words = words
        self.details = details
        self.numbers = numbers.filter { $0.0.upperBound <= words.count }.map { (words: $0.0, number: $0.1) }
        isPrefix = !isNearby && (!isTyping || text.last.map { !$0.isWhitespace } ?? false)
        parts = Self.split(words)
        streets = Self.streets(text, words)
    }

    private static func streets(_ text: String, _ words: [String]) -> (first: [String], second: [String])? {
        let sides = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "&" || $0 == "/" || $0 == "@" }
        if sides.count == 2 {
            let (first, second) = (Folding.words(Folding.fold(sides[0])), Folding.words(Folding.fold(sides[1])))
            return first.isEmpty || second.isEmpty ? nil : (first, second)
        }
        let words = withoutCorner(words)
        guard let at = words.dropFirst().dropLast().firstIndex(where: { conjunctions.contains($0) }) else { return nil }
        return (Array(words[..<at]), Array(words[(at + 1)...]))
    }

    /// Returns the words after those for a crossing: "corner of".
    static func withoutCorner(_ words: [String]) -> ArraySlice<String> {
        let phrase = corners.first { words.count > $0.count + 1 && words.starts(with: $0) }
        return words.dropFirst(phrase?.count ?? 0)
    }

    private static func split(_ words: [String]) -> (what: [String], place: [String])? {
        for length in [3, 2, 1] {
            guard words.count >= length + 2 else { continue }
            for start in 1..<(words.count - length) {
                guard prepositions.contains(words[start..<(start + length)].joined(separator: " ")) else { continue }
                var place = words[(start + length)...]
                if place.count > 1, let first = place.first, articles.contains(first) { place = place.dropFirst() }
                return (Array(words[..<start]), Array(place))
            }
        }
        return nil
    }

    private static let prepositions: Set<String> = [
        "near", "close to", "next to", "near to", "nearby", "by", "around", "in", "at", "nahe", "in der nahe von",
        "in der nahe", "nahe bei", "bei", "beim", "an", "am", "im", "pres de", "a cote de", "dans", "a", "au",
        "cerca de",
        "en", "junto a", "vicino a", "vicino", "lahella", "nara", "vid", "i", "bij", "blizko", "рядом с", "около",
        "возле",
        "в", "w", "kolo",
    ]
    private static let names: Set<String> = ["here", "hier", "aqui", "tassa", "vicino"]
    private static let conjunctions: Set<String> = [
        "and", "at", "x", "und", "ecke", "ja", "och", "et", "y", "e", "en", "i", "и", "та", "esquina", "esq", "con",
        "angolo",
        "hoek", "kulma", "og", "com", "مع", "و",
    ]
    /// The words before a crossing, the longer ones first.
    private static let corners: [[String]] = [
        "corner of", "intersection of", "crossing of", "junction of", "esquina de", "angle de", "coin de", "angolo di",
        "hoek van",
        "corner", "ecke", "kreuzung", "esquina", "angle", "angolo", "hoek", "угол", "róg", "перекресток",
    ].map { Folding.words(Folding.fold($0)) }
    private static let articles: Set<String> = [
        "the", "der", "die", "das", "dem", "den", "la", "le", "les", "el", "los", "las", "il", "lo", "gli", "de", "du",
    ]
    /// Words for the nearest place of a kind.
    private static let nearest: [[String]] = [
        "where is the nearest", "where is the closest", "find the nearest", "find nearest", "nearest", "closest",
        "wo ist der nächste", "wo ist die nächste", "wo ist das nächste", "nächste", "nächster", "nächstes", "nächsten",
        "nächstgelegene", "nächstgelegener", "nächstgelegenes", "la plus proche", "le plus proche", "les plus proches",
        "más cercano", "más cercana", "más próximo", "más próxima", "mais próximo", "mais próxima", "mais perto",
        "più vicino", "più vicina", "lähin", "närmaste", "nærmeste", "dichtstbijzijnde", "najbliższy", "najbliższa",
        "ближайший", "ближайшая", "ближайшее", "最寄りの", "أقرب",
    ].map { Folding.words(Folding.fold($0)) }.sorted { $0.count > $1.count }
    private static let here: [[String]] = [
        "near me", "nearby", "around me", "around here", "close by", "close to me", "near here", "here", "in der nahe",
        "in meiner nahe", "hier", "pres de moi", "pres d ici", "a proximite", "cerca de mi", "cerca", "aqui",
        "vicino a me",
        "qui vicino", "vicino", "lahella", "lahistolla", "tassa", "i narheten", "nara mig", "рядом", "поблизости", "附近",
    ].map { Folding.words(Folding.fold($0)) }.sorted { $0.count > $1.count }
}
