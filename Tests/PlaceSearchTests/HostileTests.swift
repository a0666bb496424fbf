import FoundationEssentials
import Glibc
import LocationModel
import SeededRandom
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Hostile queries and files")
struct HostileTests {
    @Test(
        "a query of any content is answered or finds nothing",
        arguments: [
            "", " ", "\"", "\"\"", "'; DROP TABLE place; --", "a AND b OR NOT c", "names:a*", "^a", "NEAR(a b, 2)",
            "a*b*",
            "{words}: a", "\u{0}", "\u{202E}zudav\u{202C}", "\u{FEFF}vaduz", "%", "_", "\\",
            "<script>alert(1)</script>",
            "a\u{0301}\u{0301}\u{0301}", "🏳️‍🌈 🏳️‍🌈", "-", "- - -", "1", "1 2 3 4 5 6 7 8 9 10 11 12 13", "near",
            "near near near",
            "in in", "near me", "9999999999999999999999 x", "\u{F0000}\u{F0001}", "NaN, NaN", "1e400,1e400", "91, 0",
            "geo:",
            "https://", "°'\"",
        ])
    func query(_ text: String) async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let near = Coordinate(latitude: 47.141, longitude: 9.5215)
        let clock = ContinuousClock()
        let time = try clock.measure {
            let found = try searcher.search(text, near: near)
            let offered = try searcher.suggestions(for: text, near: near)
            #expect(found.count <= 20 && offered.count <= 8)
        }
        // A thousand times what is usual: this is no test of speed.
        #expect(time < .seconds(5))
    }

    @Test("long queries cost no more than their beginning")
    func long() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        for text in [
            String(repeating: "a", count: 10_000), String(repeating: "a ", count: 5000),
            String(repeating: "vaduz near ", count: 1000), String(repeating: "\"", count: 10_000),
            String(repeating: "\u{0301}", count: 10_000), String(repeating: "12 ", count: 3000),
            "geo:" + String(repeating: "1", count: 10_000),
        ] {
            let time = try ContinuousClock().measure { _ = try searcher.search(text, near: nil) }
            #expect(time < .seconds(5))
        }
    }

    @Test("random text is answered")
    func random() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        var generator = SeededGenerator(seed: 12)
        let letters = Array("aeiou nstr\"*()-:'äß東ם0123456789,;°NSEW^{}\u{202E}\u{200D}\u{7}".unicodeScalars)
        for _ in 0..<150 {
            let count = Int.random(in: 1...40, using: &generator)
            let text = String(
                String.UnicodeScalarView((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" }))
            #expect(try searcher.suggestions(for: text).count <= 8)
        }
    }

    @Test("files that are no index are refused with their name and the reason")
    func files() throws {
        let directory = try TemporaryDirectory()
        let text = directory.path + "/text.places"
        try Data("places".utf8).write(to: URL(filePath: text))
        let (written, path) = try Written.index(of: [Written.point("n1", 9, 47, ["place": "town", "name": "Town"])])
        let whole = try Data(contentsOf: URL(filePath: path))
        withExtendedLifetime(written) {}
        let cut = directory.path + "/cut.places"
        try whole.prefix(whole.count / 2).write(to: URL(filePath: cut))
        for (file, word) in [
            (text, "no index"), (directory.path + "/none.places", "cannot be opened"), (cut, "damaged"),
        ] {
            let error = #expect(throws: PlaceIndexError.self) {
                _ = try PlaceSearcher(paths: [file]).search("town")
            }
            #expect(
                error?.description.contains(file) == true && error?.reason.contains(word) == true,
                "\(file)")
        }
    }

    @Test("nothing is left of an index that could not be written")
    func unfinished() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/test.places"
        for lines in [[], ["no json"], ["{\"type\":\"Feature\"}"], ["\u{1E}", ""]] {
            #expect(throws: PlaceIndexError.self) { try Written.write(lines, to: path, in: directory) }
        }
        #expect(throws: PlaceIndexError.self) {
            try Written.write(["x"], to: directory.path + "/missing/test.places", in: directory)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["lines"])
    }

    @Test("lines that are no features are counted, and the rest is indexed")
    func malformed() throws {
        let directory = try TemporaryDirectory()
        let lines = [
            "{", "[1,2]", "null", "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{}}",
            Written.point("n1", 999, 47, ["place": "town", "name": "Nowhere"]),
            String(repeating: "[", count: 100_000),
            "\u{1E}" + Written.point("n2", 9, 47, ["place": "town", "name": "Town\u{7} \u{202E} \n  Hall"]),
        ]
        let path = directory.path + "/test.places"
        let summary = try Written.write(lines, to: path, in: directory)
        #expect(summary.places == 1 && summary.malformedLines == 6)
        #expect(try PlaceSearcher(paths: [path]).search("town hall").first?.name == "Town Hall")
    }
}
