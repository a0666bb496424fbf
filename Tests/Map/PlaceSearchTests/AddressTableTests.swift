import FoundationEssentials
import LocationModel
import PlaceFixtures
import TestSupport
import Testing

@testable import PlaceSearch

/// The addresses of `addresses.txt`, each in an index of its town and the world.
@Suite("Addresses as people write them, by a table", .timeLimit(.minutes(10)))
struct AddressTableTests {
    private struct Row {
        let kind: String
        let query: String
        let answer: String
    }

    private struct Town {
        let name: String
        let center: Coordinate
        var streets: [(name: String, numbers: [String])] = []
        var rows: [Row] = []

        func searcher() throws -> (TemporaryDirectory, PlaceSearcher) {
            let (latitude, longitude) = (center.latitude, center.longitude)
            var lines = [
                Written.point("n1", longitude, latitude, ["place": "town", "name": name, "population": "9000"])
            ]
            for (index, street) in streets.enumerated() {
                let y = latitude + 0.0015 * Double(index + 1)
                lines.append(
                    Written.line(
                        "w\(index + 1)", [(longitude, y), (longitude + 0.002, y)],
                        ["highway": "residential", "name": street.name]))
                for number in street.numbers {
                    let tags = ["addr:housenumber": number, "addr:street": street.name, "addr:city": name]
                    lines.append(
                        Written.point("n\(lines.count + 1)", longitude + 0.00003 * Double(lines.count), y, tags))
                }
            }
            let (directory, path) = try Written.index(of: lines)
            return (directory, try PlaceSearcher(paths: [path, ExtractIndex.world]))
        }
    }

    private static func towns() throws -> [Town] {
        let text = try String(contentsOfFile: "Tests/Map/PlaceFixtures/Queries/addresses.txt", encoding: .utf8)
        var towns: [Town] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "|").map { part in
                String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            if parts[0] == "town" {
                let position = try #require(Double(parts[2]).flatMap { y in Double(parts[3]).map { (y, $0) } })
                towns.append(
                    Town(
                        name: parts[1],
                        center: Coordinate(clampingLatitude: position.0, wrappingLongitude: position.1)))
            } else if parts[0] == "street" {
                let numbers = parts[2].split(separator: ";").map { $0.drop { $0 == " " } }
                towns[towns.count - 1].streets.append(
                    (parts[1], numbers.map { String($0.reversed().drop { $0 == " " }.reversed()) }))
            } else {
                towns[towns.count - 1].rows.append(Row(kind: parts[0], query: parts[1], answer: parts[2]))
            }
        }
        return towns
    }

    private static func text(_ place: FoundPlace) -> String {
        [place.address.thoroughfare ?? place.name, place.address.subThoroughfare].compactMap(\.self)
            .joined(separator: ", ")
    }

    @Test("every address of the table is the first answer, and among three suggestions once it is typed")
    func table() throws {
        let towns = try Self.towns()
        #expect(towns.count == 36)
        var kinds: [String: Int] = [:]
        for town in towns {
            let (directory, searcher) = try town.searcher()
            defer { withExtendedLifetime(directory) {} }
            // The user is somewhere else in the town.
            let near = Coordinate(
                clampingLatitude: town.center.latitude + 0.004, wrappingLongitude: town.center.longitude - 0.01)
            for row in town.rows {
                kinds[row.kind, default: 0] += 1
                let suggestions = try searcher.suggestions(for: row.query, near: near).compactMap(\.place).prefix(3)
                #expect(suggestions.map(Self.text).contains(row.answer), "\(row.query), typed in \(town.name)")
                guard row.kind != "beginning" else { continue }
                let first = try searcher.search(row.query, near: near, limit: 1).first.map(Self.text)
                #expect(first == row.answer, "\(row.query) in \(town.name)")
            }
        }
        #expect(kinds.count == 6 && kinds.values.allSatisfy { $0 >= 15 }, "\(kinds)")
    }
}
