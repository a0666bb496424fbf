import LocationModel
import PlaceFixtures
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Beginnings of names", .timeLimit(.minutes(10)))
struct BeginningTests {
    private static let here = Coordinate(latitude: 48.41, longitude: 15.6)

    private static func searcher(_ lines: [String]) throws -> (TemporaryDirectory, PlaceSearcher) {
        let (directory, path) = try Written.index(of: lines)
        return (directory, try PlaceSearcher(paths: [path, ExtractIndex.world]))
    }

    @Test(
        "three or four letters are a beginning: places of the town precede distant towns, which appear once by name")
    func short() throws {
        let names = ["Hornbach", "Hornung", "Hornig"]
        let (directory, searcher) = try Self.searcher(
            names.enumerated().map {
                Written.point("n\($0 + 1)", 15.6 + Double($0) / 1000, 48.41, ["name": $1, "shop": "hardware"])
            })
        defer { withExtendedLifetime(directory) {} }
        let given = try searcher.suggestions(for: "horn", near: Self.here).compactMap(\.place?.name)
        #expect(names.allSatisfy { given.prefix(4).contains($0) }, "\(given)")
        let towns = try searcher.suggestions(for: "horn", near: Self.here).compactMap(\.place).filter {
            $0.coordinate.distance(to: Self.here) > 100_000
        }
        #expect(Set(towns.map(\.name)).count == towns.count, "\(towns.map(\.name))")
    }

    @Test("a category suggested for a word of another language shows that word, after those in English")
    func shownWord() throws {
        let (directory, searcher) = try Self.searcher([
            Written.point("n1", 15.601, 48.411, ["name": "OMV", "amenity": "fuel"]),
            Written.point("n2", 15.602, 48.412, ["name": "Löwen", "amenity": "pharmacy"]),
            Written.point("n3", 15.603, 48.413, ["name": "Pulverturm", "man_made": "lighthouse"]),
        ])
        defer { withExtendedLifetime(directory) {} }
        let fuel = try #require(try searcher.suggestions(for: "tank", near: Self.here).first { $0.category == "fuel" })
        #expect(fuel.title.hasPrefix("Fuel — Tank") && fuel.titleHighlights.map(\.length) == [4])
        let rows = try searcher.suggestions(for: "pha", near: Self.here).filter { $0.category != nil }
        #expect(rows.first?.title == "Pharmacy" && rows.allSatisfy { !$0.titleHighlights.isEmpty })
    }

    @Test("places that look alike in a list are told apart by their street")
    func alike() throws {
        let (directory, searcher) = try Self.searcher([
            Written.line(
                "w1", [(15.600, 48.410), (15.610, 48.410)], ["name": "Lange Zeile", "highway": "residential"]),
            Written.line(
                "w2", [(15.600, 48.415), (15.610, 48.415)], ["name": "Kurze Zeile", "highway": "residential"]),
            Written.point("n1", 15.605, 48.4101, ["name": "Nordbahnhof", "railway": "subway_entrance"]),
            Written.point("n2", 15.605, 48.4149, ["name": "Nordbahnhof", "railway": "subway_entrance"]),
        ])
        defer { withExtendedLifetime(directory) {} }
        let rows = try searcher.suggestions(for: "nordbahnhof", near: Self.here).filter {
            $0.place?.category == "subway_entrance"
        }
        #expect(rows.count == 2 && Set(rows.map(\.subtitle)).count == 2, "\(rows.map(\.subtitle))")
        #expect(rows.contains { $0.subtitle.hasPrefix("Lange Zeile") })
    }

    @Test("distances are from the user, or from the middle of a map of another part of the world")
    func origin() throws {
        let visible = try #require(PlaceBounds(west: 15.5, south: 48.4, east: 15.7, north: 48.5))
        let far = Coordinate(latitude: 47.1, longitude: 9.5)
        #expect(PlaceSearcher.origin(near: Self.here, visible: visible) == Self.here)
        #expect(PlaceSearcher.origin(near: far, visible: visible) == visible.center)
        #expect(PlaceSearcher.origin(near: nil, visible: visible) == visible.center)
        #expect(PlaceSearcher.origin(near: far, visible: nil) == far)
    }
}
