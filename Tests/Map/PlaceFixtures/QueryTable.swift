import FoundationEssentials
package import LocationModel
package import PlaceSearch

/// The queries that search is judged by, and the places they stand for. They were chosen before the search was written.
package enum QueryTable {
    /// Queries for places all over the world and in two extracts.
    package static let expected = "Tests/Map/PlaceFixtures/Queries/expected.txt"
    /// Queries as people type them in towns of four extracts, with the map of the town before them.
    package static let nearby = "Tests/Map/PlaceFixtures/Queries/nearby.txt"

    /// One query.
    package struct Row: Sendable {
        package var group: String
        package var query: String
        /// Where it is asked from.
        package var near: Coordinate?
        /// The names of the places, or `category:` and a category; empty where any at the position will do.
        package var names: Set<String>
        package var position: Coordinate
        /// How far the place may be from there, in metres.
        package var tolerance: Double

        /// True if the query is judged while it is typed, by the suggestions for its beginnings.
        package var isTyped: Bool { group.hasPrefix("typed") }
        /// What is typed so far when the suggestions are judged: three letters, and five.
        package var beginnings: [String] {
            [3, 5].map { String(query.prefix($0)) }.filter { $0.last != " " }
        }
        /// The map around the asker: a town.
        package var visible: PlaceBounds? {
            near.flatMap { PlaceBounds(around: $0) }
        }

        /// True if a place is the expected one.
        package func isAnswered(by place: FoundPlace) -> Bool {
            guard place.coordinate.distance(to: position) <= tolerance else { return false }
            return names.isEmpty || names.contains(place.name)
                || place.category.map { names.contains("category:\($0)") } ?? false
        }

        /// True if choosing a suggestion leads to the expected place.
        package func isAnswered(by suggestion: PlaceSuggestion) -> Bool {
            if let place = suggestion.place { return isAnswered(by: place) }
            return suggestion.category.map { names.contains("category:\($0)") } ?? false
        }
    }

    /// How a search did.
    package struct Score: Sendable {
        /// How it did in one group.
        package struct Group: Sendable {
            package var queries = 0
            package var first = 0
            package var amongFive = 0
        }

        /// The groups by name.
        package var groups: [String: Group] = [:]
        /// What was not first, or for a typed query not among five: the query and what was given instead.
        package var misses: [String] = []

        /// The number of queries.
        package var queries: Int { sum(\.queries) { _ in true } }
        /// The share of complete queries with the expected place first.
        package var shareFirst: Double { share(\.first, isTyped: false) }
        /// The share of complete queries with the expected place among the first five.
        package var shareAmongFive: Double { share(\.amongFive, isTyped: false) }
        /// The share of beginnings of queries with the expected place among five suggestions.
        package var shareTyped: Double { share(\.amongFive, isTyped: true) }

        private func share(_ count: KeyPath<Group, Int>, isTyped: Bool) -> Double {
            Double(sum(count) { $0.hasPrefix("typed") == isTyped })
                / Double(max(1, sum(\.queries) { $0.hasPrefix("typed") == isTyped }))
        }

        private func sum(_ count: KeyPath<Group, Int>, _ isIncluded: (String) -> Bool) -> Int {
            groups.filter { isIncluded($0.key) }.reduce(0) { $0 + $1.value[keyPath: count] }
        }

        fileprivate mutating func add(_ rank: Int?, in group: String) {
            groups[group, default: Group()].queries += 1
            if rank == 0 { groups[group]?.first += 1 }
            if rank != nil { groups[group]?.amongFive += 1 }
        }
    }

    /// A table that cannot be read.
    package struct Unreadable: Error {
        package var line: String
    }

    /// Reads a table: `group | query | from | names | position | kilometres`.
    package static func read(_ path: String = expected) throws -> [Row] {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = fields(line)
            guard parts.count == 6, let position = coordinate(parts[4]), let kilometres = Double(parts[5]) else {
                throw Unreadable(line: String(line))
            }
            return Row(
                group: parts[0], query: parts[1], near: coordinate(parts[2]),
                names: parts[3] == "*" ? [] : Set(parts[3].split(separator: "; ").map(String.init)),
                position: position, tolerance: kilometres * 1000)
        }
    }

    /// Asks everything of a searcher.
    ///
    /// - Parameter isOnMap: True if a map of the asker's surroundings is visible.
    package static func run(_ rows: [Row], _ searcher: PlaceSearcher, isOnMap: Bool = false) throws -> Score {
        var score = Score()
        for row in rows {
            let visible = isOnMap ? row.visible : nil
            if row.isTyped {
                for text in row.beginnings {
                    let given = try searcher.suggestions(for: text, near: row.near, visible: visible, limit: 5)
                    let rank = given.firstIndex { row.isAnswered(by: $0) }
                    score.add(rank, in: row.group)
                    if rank == nil {
                        score.misses.append(row.miss(text, rank, given.map { "\($0.title) (\($0.subtitle))" }))
                    }
                }
            } else {
                let given = try searcher.search(row.query, near: row.near, visible: visible, limit: 5)
                let rank = given.firstIndex { row.isAnswered(by: $0) }
                score.add(rank, in: row.group)
                if rank != 0 {
                    score.misses.append(
                        row.miss(row.query, rank, given.map { "\($0.name) (\($0.address.line(without: $0.name)))" }))
                }
            }
        }
        return score
    }

    /// The parts of a line, without the spaces around them.
    static func fields(_ line: Substring) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func coordinate(_ text: String) -> Coordinate? {
        let numbers = text.split(separator: ",").compactMap { Double($0) }
        return numbers.count == 2 ? Coordinate(latitude: numbers[0], longitude: numbers[1]) : nil
    }
}

extension PlaceBounds {
    /// The map around a position: a town.
    init?(around position: Coordinate) {
        self.init(
            west: position.longitude - 0.025, south: position.latitude - 0.015, east: position.longitude + 0.025,
            north: position.latitude + 0.015)
    }
}

extension QueryTable.Row {
    fileprivate func miss(_ text: String, _ rank: Int?, _ given: [String]) -> String {
        let wanted = names.isEmpty ? "any" : names.sorted().joined(separator: " or ")
        let place = near.map { " at \($0.latitude),\($0.longitude)" } ?? ""
        return "\(group): \(text)\(place) → \(rank.map { "\($0 + 1)." } ?? "not") \(wanted); "
            + "given: \(given.prefix(rank == nil ? 5 : 3).joined(separator: "; "))"
    }
}
