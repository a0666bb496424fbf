import FoundationEssentials
import Glibc
import LocationModel
import SQLite
import SeededRandom
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Hostile queries and files", .timeLimit(.minutes(10)))
struct HostileTests {
    @Test(
        "a query with any content is answered or finds nothing",
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

    @Test("long queries take no longer than their beginning")
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

    @Test("files that are not indexes are refused with their name and the reason")
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
            (text, "not an index"), (directory.path + "/none.places", "cannot be opened"), (cut, "damaged"),
        ] {
            let error = #expect(throws: PlaceIndexError.self) {
                _ = try PlaceSearcher(paths: [file]).search("town")
            }
            #expect(
                error?.description.contains(file) == true && error?.reason.contains(word) == true,
                "\(file)")
        }
    }

    @Test("an index that could not be written leaves nothing behind")
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

    @Test("lines that are not features are counted, and the rest is indexed")
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

    /// An index of a town, after `statements` were run on it.
    private func index(
        _ statements: [(SQLText, [SQLValue])]
    ) throws -> (directory: TemporaryDirectory, path: String) {
        let (directory, path) = try Written.index(of: [
            Written.point("n1", 9, 47, ["place": "town", "name": "Town", "population": "5000"]),
            Written.point(
                "n2", 9, 47.001, ["amenity": "cafe", "name": "Town Hall Cafe", "opening_hours": "Mo 10:00-12:00"]),
            Written.line("w1", [(9.0, 47.0), (9.001, 47.0)], ["highway": "residential", "name": "Long Road"]),
        ])
        let database = try SQLDatabase<PlaceIndexError>(path: path)
        for (sql, values) in statements { try database.run(sql, values) }
        return (directory, path)
    }

    @Test(
        "an index with views, triggers, computed columns or other virtual tables is refused before any of it is executed"
    )
    func executed() throws {
        let extra: [[SQLText]] = [
            ["CREATE VIEW x AS SELECT 1"],
            ["ALTER TABLE place RENAME TO other", "CREATE VIEW place AS SELECT * FROM other"],
            ["CREATE TRIGGER x AFTER INSERT ON place BEGIN SELECT 1; END"],
            ["ALTER TABLE place ADD COLUMN x AS (zeroblob(1000000000))"],
            ["CREATE VIRTUAL TABLE x USING fts5 (y)"],
            ["DROP TABLE area_box", "CREATE VIRTUAL TABLE area_box USING rtree (id, a, b)"],
        ]
        for statements in extra {
            let (directory, path) = try index(statements.map { ($0, []) })
            let error = #expect(throws: PlaceIndexError.self) { try PlaceSearcher(paths: [path]) }
            #expect(error?.reason.contains("damaged") == true, "\(statements)")
            withExtendedLifetime(directory) {}
        }
    }

    @Test("impossible values in an index are an error, and no trap")
    func impossibleValues() throws {
        let near = Coordinate(latitude: 47, longitude: 9)
        let long = SQLValue.text(String(repeating: "long ", count: 200_000))
        let changes: [(SQLText, SQLValue)] = [
            ("UPDATE place SET latitude = ?", .integer(.max)), ("UPDATE place SET longitude = ?", .integer(.min)),
            ("UPDATE place SET latitude = ?", .real(.infinity)), ("UPDATE place SET importance = ?", .integer(.min)),
            ("UPDATE place SET importance = ?", .integer(.max)), ("UPDATE place SET kind = ?", .integer(.max)),
            ("UPDATE place SET kind = ?", .integer(-1)), ("UPDATE place SET name = ?", long),
            ("UPDATE place SET context = ?", .text("x")),
            ("UPDATE category SET id = ? WHERE id = (SELECT min(id) FROM category)", .integer(.max)),
            ("UPDATE meta SET value = ? WHERE name = 'bounds'", .text("nan,0,0,0")),
            ("UPDATE meta SET value = ? WHERE name = 'squareSide'", .text("nan")),
            ("UPDATE meta SET value = ? WHERE name = 'squareSide'", .text("1e-300")),
            ("UPDATE category SET name = ?", long), ("UPDATE detail SET hours = ?", long),
        ]
        for (sql, value) in changes {
            let (directory, path) = try index([(sql, [value])])
            #expect(throws: PlaceIndexError.self, "\(sql) \("\(value)".prefix(60))") {
                let searcher = try PlaceSearcher(paths: [path])
                _ = try searcher.search("town", near: near)
                _ = try searcher.suggestions(for: "tow", near: near)
                _ = try searcher.places(of: "cafe", near: near)
            }
            withExtendedLifetime(directory) {}
        }
        let harmless: [(SQLText, SQLValue)] = [
            ("UPDATE detail SET bounds = ?", .text("nan,inf,0,1e400")), ("UPDATE place SET source = ?", .integer(.min)),
            ("UPDATE place SET category = ?", .integer(.max)),
            ("UPDATE course SET points = ?", .blob([0xff, 0xff, 0x7f])),
            ("UPDATE place SET context = ?", .integer(.min)),
        ]
        for (sql, value) in harmless {
            let (directory, path) = try index([(sql, [value])])
            let searcher = try PlaceSearcher(paths: [path])
            let found = try searcher.search("town", near: near)
            #expect(!found.isEmpty && found.allSatisfy { $0.bounds?.allSatisfy(\.isFinite) ?? true }, "\(sql)")
            _ = try searcher.address(at: near)
            withExtendedLifetime(directory) {}
        }
    }

    @Test("an index of endless kinds of spots is refused")
    func endlessKinds() throws {
        let (directory, path) = try index([
            (
                """
                INSERT INTO spot WITH RECURSIVE n(x) AS (VALUES(1000) UNION ALL SELECT x + 1 FROM n WHERE x < 3000)
                    SELECT x, 1, 1 FROM n
                """, []
            )
        ])
        #expect(throws: PlaceIndexError.self) { try PlaceSearcher(paths: [path]) }
        withExtendedLifetime(directory) {}
    }

    @Test("an index with any changed bytes is searched or refused")
    func changedBytes() throws {
        let (directory, path) = try index([])
        let sound = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var generator = SeededGenerator(seed: 18)
        let near = Coordinate(latitude: 47, longitude: 9)
        let changed = directory.path + "/changed.places"
        for _ in 0..<200 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                bytes[.random(in: 16..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            try Data(bytes).write(to: URL(filePath: changed))
            guard let searcher = try? PlaceSearcher(paths: [changed]) else { continue }
            _ = try? searcher.search("town hall", near: near)
            _ = try? searcher.suggestions(for: "tw", near: near)
            _ = try? searcher.address(at: near)
        }
    }

    @Test("a pipe is not an index, and is refused without waiting")
    func pipe() throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.path + "/pipe", 0o600) == 0)
        #expect(throws: PlaceIndexError.self) { try PlaceSearcher(paths: [directory.path + "/pipe"]) }
    }
}
