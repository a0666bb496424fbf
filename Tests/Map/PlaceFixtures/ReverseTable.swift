import FoundationEssentials
package import LocationModel

/// Positions, and the streets they are at: doors of houses that name their street, and points on streets.
package enum ReverseTable {
    /// One position.
    package struct Row: Sendable {
        package var position: Coordinate
        /// The street; at corners, either.
        package var streets: [String]
    }

    /// Reads a table: `position | street; street`.
    package static func read(_ path: String = "Tests/Map/PlaceFixtures/Queries/reverse.txt") throws -> [Row] {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = QueryTable.fields(line)
            let numbers = parts[0].split(separator: ",").compactMap { Double($0) }
            guard parts.count == 2, numbers.count == 2,
                let position = Coordinate(latitude: numbers[0], longitude: numbers[1])
            else { throw QueryTable.Unreadable(line: String(line)) }
            return Row(position: position, streets: parts[1].split(separator: "; ").map(String.init))
        }
    }
}
