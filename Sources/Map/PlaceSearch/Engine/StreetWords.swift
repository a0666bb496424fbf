import CPlaceTables

/// The words of street names and their short forms: the table `street-types.txt`.
enum StreetWords {
    /// What a word of a query may stand for in a name.
    struct Meaning {
        /// The words, in the order of the table. One of them may be a phrase: "martin luther king".
        var words: [String] = []
        /// True if names may lack the word.
        var isOptional: Bool { isArticle || 2 * optional >= max(1, words.count) }
        /// True if the word is an article or preposition, which people add and leave out.
        fileprivate var isArticle = false
        /// The number of words that names may lack.
        fileprivate var optional = 0
    }

    /// One or more words of a query, and what may stand in a name instead of them.
    struct Element {
        /// The words as typed, separated by spaces.
        var typed: String
        /// The other forms.
        var others: [String] = []
        /// True if names may lack it.
        var isOptional = false
        /// True if a name has a word that begins with it.
        var isBeginning = false

        /// All forms, the typed one first.
        var forms: [String] { [typed] + others }
        /// True if it is the first letter of a word, such as a first name's.
        var isInitial: Bool { typed.unicodeScalars.count == 1 && typed.first?.isLetter == true }
        /// True if it is a word of a name, and no type of streets.
        var isName = false
    }

    /// Returns the words of a query with the words that they may stand for; `nil` if none of them is in the table.
    static func elements(of words: [String]) -> [Element]? {
        var elements: [Element] = []
        var isKnown = false
        var position = 0
        while position < words.count {
            let rest = words[position...]
            if let phrase = tables.phrases[rest[position]]?.first(where: { rest.starts(with: $0.words) }) {
                elements.append(
                    Element(typed: phrase.words.joined(separator: " "), others: phrase.shorts, isName: true))
                isKnown = true
                position += phrase.words.count
                continue
            }
            let meaning = meaning(of: rest[position])
            isKnown = isKnown || meaning != nil
            var element = Element(typed: rest[position], others: meaning?.words ?? [])
            element.isOptional = meaning?.isOptional ?? false
            element.isName = !element.isInitial && isName(element.typed)
            elements.append(element)
            position += 1
        }
        return isKnown || elements.count > 1 && elements.contains(where: \.isInitial) ? elements : nil
    }

    /// True if a folded word is one of a name, and no type or direction of streets.
    static func isName(_ word: String) -> Bool { meaning(of: word) == nil || tables.names.contains(word) }

    /// Returns what a folded word may stand for besides itself; `nil` if it is in no line of the table.
    static func meaning(of word: String) -> Meaning? {
        var meaning = tables.meanings[word] ?? Meaning()
        if word.utf8.count <= 8 {
            // "31" is "31st" and "XXXI", and the other way round.
            let digits = word.prefix(while: \.isASCII).prefix(while: \.isNumber)
            let isNumber = digits == word || ordinals.contains { digits + $0 == word }
            let number = isNumber && !digits.isEmpty ? String(digits) : romans.numbers[word]
            for number in (number.map { [$0] } ?? []) + meaning.words.filter({ $0.allSatisfy(\.isNumber) }) {
                let forms = [number] + ordinals.map { number + $0 } + [romans.words[number]].compactMap { $0 }
                meaning.words += forms.filter { $0 != word && !meaning.words.contains($0) }
            }
        }
        return meaning.words.isEmpty && !meaning.isArticle ? nil : meaning
    }

    /// The numbers from 1 to 39 with their Roman forms, and the other way round.
    private static let romans: (words: [String: String], numbers: [String: String]) = {
        let units = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
        let pairs = (1...39).map { (String($0), String(repeating: "x", count: $0 / 10) + units[$0 % 10]) }
        return (Dictionary(uniqueKeysWithValues: pairs), Dictionary(uniqueKeysWithValues: pairs.map { ($1, $0) }))
    }()

    /// The ends of numbers of streets.
    private static let ordinals = ["st", "nd", "rd", "th", "a", "o", "e", "er", "º", "ª"]

    /// Returns a compound word with its end written out: "ottostr" is "ottostrasse", "ottostraat", …
    static func writtenOut(_ word: String) -> [String] {
        tables.suffixes.filter { word.utf8.count > $0.short.utf8.count + 2 && word.hasSuffix($0.short) }
            .map { word.dropLast($0.short.count) + $0.word }
    }

    /// Returns the ends of compound words that a short form stands for.
    static func suffixes(of short: String) -> [String] { tables.suffixes.filter { $0.short == short }.map(\.word) }

    /// Returns the short form in a token such as "пр-т", "P.za" or "S:t", without the signs inside it; `nil` for other tokens.
    static func shortForm(in token: some StringProtocol) -> String? {
        let inner = token.drop { !$0.isLetter }
        guard token.count <= 8, inner.dropLast().contains(where: { ".-/:".contains($0) }),
            !token.contains(where: \.isNumber)
        else { return nil }
        // "S.P." may be a name.
        guard
            token.contains(where: { "-/:".contains($0) })
                || token.split(separator: ".").contains(where: { $0.count > 1 })
        else { return nil }
        let letters = Folding.fold(String(token.filter(\.isLetter)))
        return tables.meanings[letters] == nil ? nil : letters
    }

    /// A phrase that has a short form.
    private typealias Phrase = (words: [String], shorts: [String])

    private static let tables:
        (
            meanings: [String: Meaning], names: Set<String>, phrases: [String: [Phrase]],
            suffixes: [(short: String, word: String)]
        ) = {
            var meanings: [String: Meaning] = [:]
            var names: Set<String> = []
            var phrases: [String: [Phrase]] = [:]
            var suffixes: [(short: String, word: String)] = []
            func add(_ word: String, for short: String, isOptional: Bool) {
                guard !meanings[short, default: Meaning()].words.contains(word) else { return }
                meanings[short, default: Meaning()].words.append(word)
                if isOptional { meanings[short]?.optional += 1 }
            }
            for line in String(cString: locationd_street_types()).split(separator: "\n")
            where !line.hasPrefix("#") {
                var words = line.split(separator: " ").dropFirst()
                let isSuffix = words.first == "suffix"
                if isSuffix { words = words.dropFirst() }
                guard let first = words.popFirst() else { continue }
                let isOptional = first.hasSuffix("?")
                // An underscore is a space.
                let word = Folding.fold(first)
                if first.hasSuffix("!") { names.insert(word) }
                let shorts = words.map { Folding.fold($0) }
                if shorts.isEmpty { meanings[word, default: Meaning()].isArticle = true }
                let parts = Folding.words(word)
                if parts.count > 1 { phrases[parts[0], default: []].append((words: parts, shorts: shorts)) }
                for short in shorts {
                    if isSuffix {
                        suffixes.append((short, word))
                        continue
                    }
                    add(word, for: short, isOptional: isOptional)
                    // Some names have the short form.
                    if parts.count == 1 { add(short, for: word, isOptional: isOptional) }
                }
            }
            for first in phrases.keys { phrases[first]?.sort { $0.words.count > $1.words.count } }
            return (meanings, names, phrases, suffixes)
        }()
}
