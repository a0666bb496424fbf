import PlaceFixtures
import SeededRandom
import TestSupport
import Testing

@testable import PlaceSearch

/// A small part of what `search-benchmark --towns` measures.
@Suite("Incremental search in towns", .timeLimit(.minutes(10)))
struct TownTests {
    @Test("exact names are found, and the minimum rates for mistakes and beginnings in two towns are met")
    func floors() async throws {
        let directory = try TemporaryDirectory()
        var score = TownScore()
        for extract in [ExtractIndex.Extract.monaco, .neubrandenburg] {
            let path = "\(directory.path)/\(extract.rawValue).places"
            try await ExtractIndex.write(extract, to: path)
            let searcher = try PlaceSearcher(paths: [path, ExtractIndex.world])
            let rows = try TownTable.rows(forIndexAt: path, names: 20, seed: 7, searcher)
            score += try TownScore(rows, searcher)
        }
        let exact = try #require(score.kinds["exact"])
        #expect(exact.searches == 40)
        #expect(exact.shareFirst >= 0.9 && exact.shareAmongFive >= 0.97, "\(score.misses)")
        #expect(score.slips.searches >= 150)
        #expect(score.slips.shareAmongFive >= 0.93 && score.slips.shareSuggested >= 0.93, "\(score.misses)")
        for (kind, floor) in [("prefix", 0.9), ("category", 0.95), ("typed category", 0.9)] {
            let count = try #require(score.kinds[kind])
            #expect(count.shareAmongFive >= floor, "\(kind): \(score.misses.filter { $0.hasPrefix(kind) })")
        }
    }

    @Test("of each kind of mistake, four of five queries find the name among five")
    func kindsOfSlips() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/monaco.places"
        try await ExtractIndex.write(.monaco, to: path)
        let searcher = try PlaceSearcher(paths: [path, ExtractIndex.world])
        let rows = try TownTable.rows(forIndexAt: path, names: 40, seed: 11, searcher)
        let score = try TownScore(rows, searcher)
        for slip in Slip.allCases {
            let count = try #require(score.kinds[slip.rawValue])
            #expect(count.searches >= 10, "\(slip)")
            #expect(count.shareAmongFive >= 0.8, "\(slip): \(score.misses.filter { $0.hasPrefix(slip.rawValue) })")
        }
    }

    @Test("a mistake changes one letter or space, never the first letter of a word, and is the same for the same seed")
    func slips() {
        for slip in Slip.allCases {
            var (one, two) = (SeededGenerator(seed: 3), SeededGenerator(seed: 3))
            for name in ["Whole Foods", "Apotheke am Markt", "Optiko Arvola"] {
                let text = slip.applied(to: name, using: &one)
                #expect(text == slip.applied(to: name, using: &two))
                guard let text else { continue }
                #expect(text != name.lowercased() && text.first == name.lowercased().first)
                let change =
                    switch slip {
                    case .dropped, .spaceLost, .shortDamaged: -1
                    case .doubled, .spaceAdded: 1
                    case .swapped, .spaceMoved, .spaceReplaced: 0
                    }
                #expect(text.count == name.count + change, "\(slip): \(text)")
            }
        }
        var generator = SeededGenerator(seed: 1)
        #expect(Slip.dropped.applied(to: "Spar", using: &generator) == nil)
        #expect(Slip.spaceLost.applied(to: "Bahnhof", using: &generator) == nil)
    }
}
