package import LocationModel
package import PlaceSearch
import SQLite
import SeededRandom

/// Searches as people type them in one town, made by a seeded generator from the names of its extract, so that nobody tunes
/// the ranking on them.
package enum TownTable {
    /// One search.
    package struct Row: Sendable {
        /// The kind: `exact`, a ``Slip``, `prefix`, `category` or `typed category`.
        package var kind: String
        package var text: String
        /// The user's position, at the middle of the map.
        package var near: Coordinate
        /// The name of the place meant; `nil` if a category is.
        package var name: String?
        /// The identifiers of the categories meant.
        package var categories: Set<String> = []

        /// True if the row is judged by its suggestions only, because nobody presses Enter there.
        package var isTyped: Bool { kind == "prefix" || kind == "typed category" }

        func isAnswered(by place: FoundPlace) -> Bool {
            guard near.distance(to: place.coordinate) <= TownTable.reach else { return false }
            if let name { return place.name == name }
            return place.category.map { categories.contains($0) } ?? false
        }

        func isAnswered(by suggestion: PlaceSuggestion) -> Bool {
            if let place = suggestion.place, name != nil { return isAnswered(by: place) }
            return suggestion.category.map { categories.contains($0) } ?? false
        }
    }

    /// A place of the extract, with a name that can be misspelt.
    private struct Named {
        let name: String
        let position: Coordinate
    }

    /// The distance within which a place belongs to the town, in metres.
    static let reach = 30_000.0
    /// The distance within which names count as those of the neighbourhood, in metres.
    private static let neighbourhood = 5000.0
    /// The greatest number of names with a common beginning of which one is expected among five suggestions.
    private static let fewNames = 4

    /// Returns the searches for the index of an extract at `path`.
    ///
    /// - Parameters:
    ///   - count: The number of names to choose.
    ///   - searcher: A searcher of that index, by which categories without places are left out.
    package static func rows(
        forIndexAt path: String, names count: Int, seed: UInt64, _ searcher: PlaceSearcher
    ) throws -> [Row] {
        var generator = SeededGenerator(seed: seed)
        let places = try names(inIndexAt: path)
        var seen: Set<String> = []
        let chosen = places.shuffled(using: &generator).filter { seen.insert($0.name.lowercased()).inserted }
            .prefix(count)
        var rows: [Row] = []
        for place in chosen {
            // The user is at another place of the neighbourhood.
            let others = places.filter { $0.position.distance(to: place.position) < neighbourhood }
            let near = others.randomElement(using: &generator)?.position ?? place.position
            rows.append(Row(kind: "exact", text: place.name, near: near, name: place.name))
            for slip in Slip.allCases {
                guard let text = slip.applied(to: place.name, using: &generator) else { continue }
                rows.append(Row(kind: slip.rawValue, text: text, near: near, name: place.name))
            }
            let names = Set(others.map { $0.name.lowercased() })
            for length in 3...6 where place.name.count > length {
                let text = String(place.name.lowercased().prefix(length))
                let rivals = names.count { $0.split(whereSeparator: isBetweenWords).contains { $0.hasPrefix(text) } }
                guard !text.contains(where: isBetweenWords), rivals <= fewNames else { continue }
                rows.append(Row(kind: "prefix", text: text, near: near, name: place.name))
            }
        }
        return try rows + categoryRows(around: chosen.map(\.position), searcher, using: &generator)
    }

    private static func isBetweenWords(_ character: Character) -> Bool { !character.isLetter && !character.isNumber }

    private static func names(inIndexAt path: String) throws -> [Named] {
        try SQLDatabase<PlaceIndexError>(path: path).rows(
            "SELECT name, latitude, longitude FROM place WHERE length(name) BETWEEN 5 AND 40 ORDER BY name, source, id"
        ) { (row) throws(PlaceIndexError) in
            Named(
                name: try row.text(0),
                position: Coordinate(
                    clampingLatitude: Double(try row.integer(1, as: Int.self)) / 1e6,
                    wrappingLongitude: Double(try row.integer(2, as: Int.self)) / 1e6))
        }.filter { $0.name.split(separator: " ").contains { $0.count >= 5 && $0.allSatisfy(\.isLetter) } }
    }

    private static func categoryRows(
        around positions: [Coordinate], _ searcher: PlaceSearcher, using generator: inout SeededGenerator
    ) throws -> [Row] {
        var rows: [Row] = []
        for (word, categories) in words {
            guard let near = positions.randomElement(using: &generator) else { continue }
            let isThere = try categories.contains {
                try !searcher.places(of: $0, near: near, radius: neighbourhood, limit: 1).isEmpty
            }
            guard isThere else { continue }
            rows.append(Row(kind: "category", text: word, near: near, categories: Set(categories)))
            for length in 3...4 where word.count > length {
                rows.append(
                    Row(
                        kind: "typed category", text: String(word.prefix(length)), near: near,
                        categories: Set(categories)))
            }
        }
        return rows
    }

    /// Words for categories, and the categories that answer them.
    private static let words: [(String, [String])] = [
        ("pharmacy", ["pharmacy"]), ("supermarket", ["supermarket"]), ("bakery", ["bakery"]),
        ("restaurant", ["restaurant"]), ("coffee", ["cafe"]), ("hotel", ["hotel"]), ("bank", ["bank"]),
        ("parking", ["parking"]), ("petrol", ["fuel"]), ("tankstelle", ["fuel"]), ("hospital", ["hospital"]),
        ("school", ["school"]), ("church", ["place_of_worship"]), ("museum", ["museum"]), ("park", ["park"]),
        ("toilets", ["toilets"]), ("bus stop", ["bus_stop"]), ("post office", ["post_office"]),
        ("library", ["library"]), ("playground", ["playground"]), ("police", ["police"]), ("pub", ["pub"]),
        ("hairdresser", ["hairdresser"]), ("dentist", ["dentist"]), ("doctor", ["doctors"]),
        ("kindergarten", ["kindergarten"]), ("cinema", ["cinema"]), ("theatre", ["theatre"]),
        ("station", ["train_station"]), ("apotheke", ["pharmacy"]), ("kirche", ["place_of_worship"]),
        ("fast food", ["fast_food"]), ("university", ["university"]), ("playgrounds", ["playground"]),
    ]
}
