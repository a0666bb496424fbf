import CPlaceTables

/// A category of places, such as cafés, chemists or peaks. The table is `categories.txt`.
public struct PlaceCategory: Hashable, Sendable {
    /// The identifier, such as `cafe`, `fuel` or `atm`, by which pages choose an icon.
    public let name: String
    /// The title in English, such as "Coffee".
    public let title: String
    /// The importance relative to other places: 100 for a shop, 1000 for a city of ten million.
    let importance: Int
    /// The words for it in all languages of the table, folded.
    let words: [String]
    /// The same words as the table has them, with accents.
    private let spellings: [String]
    /// The tags of its objects, such as `amenity=cafe`; a value of `nil` matches any.
    let tags: [(key: String, value: String?)]

    /// Returns a folded word for it as it is written at the start of a line.
    func spelling(of word: String) -> String {
        let spelling = words.firstIndex(of: word).map { spellings[$0] } ?? word
        return spelling.prefix(1).uppercased() + spelling.dropFirst()
    }

    /// True if it is what a place serves, which is searched for besides the category of the place.
    var isCuisine: Bool { tags.allSatisfy { $0.key == "cuisine" || $0.key.hasPrefix("diet:") } }

    /// True if both have the same identifier.
    public static func == (a: Self, b: Self) -> Bool { a.name == b.name }
    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// All categories, in the order of the table.
    public static let all: [PlaceCategory] = String(cString: locationd_place_categories())
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { PlaceCategory(line: $0) }

    /// The identifiers of the categories that people look for every day.
    static let everyday = [
        "restaurant", "cafe", "supermarket", "bakery", "pharmacy", "atm", "fuel", "parking", "bus_stop", "toilets",
    ]

    /// The identifiers of the categories whose places are usually named after others: a stop, after the opera beside it.
    static let borrowing: Set = [
        "bus_stop", "tram_stop", "subway_entrance", "taxi", "bicycle_rental", "parking", "bicycle_parking",
        "information",
    ]

    /// The identifiers of the categories whose places serve food.
    static let serving: Set = ["restaurant", "fast_food", "cafe", "bar", "pub", "bakery", "ice_cream"]

    /// Returns the cuisines of an object's tags.
    static func cuisines(of tags: [String: String]) -> [PlaceCategory] {
        guard tags.keys.contains(where: { $0 == "cuisine" || $0.hasPrefix("diet:") }) else { return [] }
        return cuisines.filter { cuisine in
            cuisine.tags.contains { tag in
                (tags[tag.key] ?? "").split(whereSeparator: { $0 == ";" || $0 == "," || $0 == " " })
                    .contains { tag.value == $0.lowercased() }
            }
        }
    }

    private static let cuisines = all.filter(\.isCuisine)

    /// Returns the category with an identifier, or `nil` if there is none.
    public static func named(_ name: String) -> PlaceCategory? { byName[name] }

    /// Returns the categories that a folded word or phrase means, usually one.
    static func meant(by phrase: String) -> [PlaceCategory] {
        if let known = byWord[phrase] { return known }
        if let dish = cuisine(phrase) { return [dish] }
        // English plurals, of which the table has few. Of other words they may be cities: Lagos, Tours.
        for (plural, singular) in [("ies", "y"), ("es", ""), ("s", "")] where phrase.hasSuffix(plural) {
            let word = phrase.dropLast(plural.count) + singular
            let known = (byWord[String(word)] ?? []).filter { Folding.fold($0.title) == word }
            if !known.isEmpty { return known }
        }
        return []
    }

    /// Returns the cuisine of a phrase such as "restaurant italien", "chinesisches Restaurant" or "中華料理", whose words may have
    /// other endings than in the table; `nil` for other phrases.
    private static func cuisine(_ phrase: String) -> PlaceCategory? {
        let words = Folding.words(phrase)
        guard words.count == 2 else { return nil }
        for (place, kind) in [(words[0], words[1]), (words[1], words[0])] {
            guard byWord[place]?.contains(where: { $0.name == "restaurant" }) == true, !kind.isEmpty else { continue }
            let stem = String(kind.utf8.count > 5 ? kind.dropLast() : kind[...])
            let known = cuisines.first { cuisine in
                cuisine.words.contains { word in
                    guard !word.contains(" ") else { return false }
                    if word == kind { return true }
                    guard min(word.utf8.count, kind.utf8.count) >= 5 else { return false }
                    return kind.hasPrefix(word) && kind.count <= word.count + 3
                        || word.hasPrefix(stem) && word.count <= stem.count + 2
                }
            }
            if let known { return known }
        }
        return nil
    }

    /// Returns the categories with a word that begins with the folded `phrase`, those with the shortest word first.
    static func beginning(with phrase: String) -> [(word: String, category: PlaceCategory)] {
        guard !phrase.isEmpty else { return [] }
        var found: [(word: String, category: PlaceCategory)] = []
        var low = 0
        var high = sortedWords.count
        while low < high {
            let middle = (low + high) / 2
            if sortedWords[middle].word < phrase { low = middle + 1 } else { high = middle }
        }
        while low < sortedWords.count, sortedWords[low].word.hasPrefix(phrase) {
            found.append(sortedWords[low])
            low += 1
        }
        found.sort { ($0.word.utf8.count, $0.word) < ($1.word.utf8.count, $1.word) }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.category.name).inserted }
    }

    /// Returns the first category that matches an object's tags; `nil` if none does. `isSpecific` is false if its rule
    /// accepts any value: such an object is of interest only with a name.
    static func of(_ tags: [String: String]) -> (category: PlaceCategory, isSpecific: Bool)? {
        var best: (index: Int, isSpecific: Bool)?
        for (key, value) in tags {
            guard let rules = byKey[key], value != "no" else { continue }
            for rule in rules where rule.value == nil || rule.value == value {
                if best.map({ rule.index < $0.index }) ?? true { best = (rule.index, rule.value != nil) }
            }
        }
        return best.map { (all[$0.index], $0.isSpecific) }
    }

    /// The keys of OpenStreetMap in the table.
    static var keys: [String] { byKey.keys.sorted() }

    private init?(line: Substring) {
        let parts = line.split(separator: "|", omittingEmptySubsequences: false).map { Self.trimmed($0) }
        guard parts.count == 5, let importance = Int(parts[2]) else { return nil }
        name = parts[0]
        title = parts[3]
        self.importance = importance
        tags = parts[1].split(separator: " ").compactMap {
            let pair = $0.split(separator: "=", maxSplits: 1).map(String.init)
            return pair.count == 2 ? (pair[0], pair[1] == "*" ? nil : pair[1]) : nil
        }
        spellings = parts[4].split(separator: ",").map { Self.trimmed($0) }
        words = spellings.map { Folding.fold($0) }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    private static let byWord: [String: [PlaceCategory]] = {
        var table: [String: [PlaceCategory]] = [:]
        for category in all {
            for word in category.words where !(table[word, default: []].contains(category)) {
                table[word, default: []].append(category)
            }
        }
        return table
    }()

    private static let sortedWords: [(word: String, category: PlaceCategory)] =
        byWord.flatMap { word, categories in categories.map { (word, $0) } }.sorted { $0.0 < $1.0 }

    private static let byKey: [String: [(value: String?, index: Int)]] = {
        var table: [String: [(value: String?, index: Int)]] = [:]
        for (index, category) in all.enumerated() where !category.isCuisine {
            for tag in category.tags { table[tag.key, default: []].append((tag.value, index)) }
        }
        return table
    }()
}
