import FoundationEssentials
package import LocationModel
package import PlaceSearch

/// The queries that search is judged by, and the places they stand for. They were chosen before the search was written.
package enum QueryTable {
    /// One query.
    package struct Row: Sendable {
        package var group: String
        package var query: String
        /// Where it is asked from.
        package var near: Coordinate?
        /// The place's name; `nil` where any at the position will do.
        package var name: String?
        package var position: Coordinate
        /// How far the place may be from there, in metres.
        package var tolerance: Double

        /// Whether a place is the expected one.
        package func isAnswered(by place: FoundPlace) -> Bool {
            place.coordinate.distance(to: position) <= tolerance && (name == nil || name == place.name)
        }
    }

    /// How a search did.
    package struct Score: Sendable {
        package var queries = 0
        package var first = 0
        package var amongFive = 0
        /// What was not first: the query and what was given instead.
        package var misses: [String] = []

        /// The share of queries with the expected place first.
        package var shareFirst: Double { Double(first) / Double(max(1, queries)) }
        /// The share of queries with the expected place among the first five.
        package var shareAmongFive: Double { Double(amongFive) / Double(max(1, queries)) }
    }

    /// A table that cannot be read.
    package struct Unreadable: Error {
        package var line: String
    }

    /// Reads a table: `group | query | from | name | position | kilometres`.
    package static func read(_ path: String = "Tests/PlaceFixtures/Queries/expected.txt") throws -> [Row] {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = fields(line)
            guard parts.count == 6, let position = coordinate(parts[4]), let kilometres = Double(parts[5]) else {
                throw Unreadable(line: String(line))
            }
            return Row(
                group: parts[0], query: parts[1], near: coordinate(parts[2]), name: parts[3] == "*" ? nil : parts[3],
                position: position, tolerance: kilometres * 1000)
        }
    }

    /// Asks everything of a searcher.
    package static func run(_ rows: [Row], _ searcher: PlaceSearcher) throws -> Score {
        var score = Score()
        for row in rows {
            let places = try searcher.search(row.query, near: row.near, limit: 5)
            score.queries += 1
            let rank = places.firstIndex { row.isAnswered(by: $0) }
            if rank == 0 { score.first += 1 }
            if rank != nil { score.amongFive += 1 }
            if rank != 0 {
                let given = places.prefix(3).map { "\($0.name) (\($0.address.line(without: $0.name)))" }
                score.misses.append(
                    "\(row.group): \(row.query) → \(rank.map { "\($0 + 1)." } ?? "not") \(row.name ?? "any"); "
                        + "given: \(given.joined(separator: "; "))")
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
