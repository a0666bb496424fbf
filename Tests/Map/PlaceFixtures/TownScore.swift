package import PlaceSearch

/// The answers to the searches of a ``TownTable``.
package struct TownScore: Sendable {
    /// The answers to the searches of one kind.
    package struct Count: Sendable {
        package var searches = 0
        /// The number with the place meant first after Enter, or for typed rows among the suggestions.
        package var first = 0
        /// The number with it among the first five.
        package var amongFive = 0
        /// The number with it among the first five suggestions for the whole text.
        package var suggested = 0

        package var shareFirst: Double { share(first) }
        package var shareAmongFive: Double { share(amongFive) }
        package var shareSuggested: Double { share(suggested) }

        private func share(_ part: Int) -> Double { Double(part) / Double(max(1, searches)) }

        static func += (a: inout Self, b: Self) {
            a.searches += b.searches
            a.first += b.first
            a.amongFive += b.amongFive
            a.suggested += b.suggested
        }
    }

    /// The counts by kind.
    package var kinds: [String: Count] = [:]
    /// The searches without the place meant among the first five, with what they found instead.
    package var misses: [String] = []

    package init() {}

    /// Searches for all rows.
    package init(_ rows: [TownTable.Row], _ searcher: PlaceSearcher) throws {
        for row in rows {
            let visible = PlaceBounds(around: row.near)
            let suggestions = try searcher.suggestions(for: row.text, near: row.near, visible: visible, limit: 5)
            let suggested = suggestions.firstIndex { row.isAnswered(by: $0) }
            var found = suggested
            var given = suggestions.map(\.title)
            if !row.isTyped {
                let places = try searcher.search(row.text, near: row.near, visible: visible, limit: 5)
                found = places.firstIndex { row.isAnswered(by: $0) }
                if found == nil { given = places.map(\.name) }
            }
            var count = Count(searches: 1)
            if found == 0 { count.first = 1 }
            if found != nil { count.amongFive = 1 }
            if suggested != nil { count.suggested = 1 }
            kinds[row.kind, default: Count()] += count
            if found == nil || suggested == nil {
                let meant = row.name ?? row.categories.sorted().joined(separator: ", ")
                let way = found == nil ? "" : " in suggestions"
                misses.append("\(row.kind): \(row.text)\(way) → \(meant); given: \(given.joined(separator: "; "))")
            }
        }
    }

    /// The counts of all slips together.
    package var slips: Count {
        Slip.allCases.reduce(into: Count()) { $0 += kinds[$1.rawValue, default: Count()] }
    }

    /// Adds the counts of another town.
    package static func += (a: inout Self, b: Self) {
        for (kind, count) in b.kinds { a.kinds[kind, default: Count()] += count }
        a.misses += b.misses
    }
}
