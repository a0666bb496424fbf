/// The words of street names and their short forms: the table `street-types.txt`.
enum StreetWords {
    /// What a word of a query may stand for in a name.
    struct Meaning {
        /// The words, in the order of the table.
        var words: [String] = []
        /// True if names may lack the word.
        var isOptional = false
    }

    /// Returns what a folded word may stand for besides itself; `nil` if it is in no line of the table.
    static func meaning(of word: String) -> Meaning? {
        if let known = tables.meanings[word] { return known }
        // "31" is "31st", and the other way round.
        guard word.utf8.count <= 5, word.first?.isNumber == true else { return nil }
        if word.allSatisfy(\.isNumber) { return Meaning(words: ordinals.map { word + $0 }) }
        return ordinals.first { word.hasSuffix($0) }.map { Meaning(words: [String(word.dropLast($0.count))]) }
    }

    /// The ends of numbers of streets.
    private static let ordinals = ["st", "nd", "rd", "th", "a", "o", "e", "er"]

    /// Returns a compound word with its end written out: "ottostr" is "ottostrasse", "ottostraat", …
    static func writtenOut(_ word: String) -> [String] {
        tables.suffixes.filter { word.utf8.count > $0.short.utf8.count + 2 && word.hasSuffix($0.short) }
            .map { word.dropLast($0.short.count) + $0.word }
    }

    /// Returns the ends of compound words that a short form stands for.
    static func suffixes(of short: String) -> [String] { tables.suffixes.filter { $0.short == short }.map(\.word) }

    /// Returns the short form in a token such as "пр-т" or "P.za", without the signs inside it; `nil` for other tokens.
    static func shortForm(in token: Substring) -> String? {
        let inner = token.drop { !$0.isLetter }
        guard token.count <= 8, inner.dropLast().contains(where: { ".-/".contains($0) }),
            !token.contains(where: \.isNumber)
        else { return nil }
        let letters = Folding.fold(String(token.filter(\.isLetter)))
        return tables.meanings[letters] == nil ? nil : letters
    }

    private static let tables: (meanings: [String: Meaning], suffixes: [(short: String, word: String)]) = {
        var meanings: [String: Meaning] = [:]
        var suffixes: [(short: String, word: String)] = []
        func add(_ word: String, for short: String, isOptional: Bool) {
            if !meanings[short, default: Meaning()].words.contains(word) {
                meanings[short, default: Meaning()].words.append(word)
            }
            if isOptional { meanings[short]?.isOptional = true }
        }
        for line in String(decoding: PackageResources.street_types_txt, as: UTF8.self).split(separator: "\n")
        where !line.hasPrefix("#") {
            var words = line.split(separator: " ").dropFirst()
            let isSuffix = words.first == "suffix"
            if isSuffix { words = words.dropFirst() }
            guard let first = words.popFirst() else { continue }
            let isOptional = first.hasSuffix("?")
            let word = Folding.fold(isOptional ? first.dropLast() : first)
            for short in words.map({ Folding.fold($0) }) {
                if isSuffix {
                    suffixes.append((short, word))
                } else {
                    add(word, for: short, isOptional: isOptional)
                    // Some names have the short form.
                    add(short, for: word, isOptional: isOptional)
                }
            }
        }
        return (meanings, suffixes)
    }()
}
