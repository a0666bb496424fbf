import Glibc
import LocationModel
import SQLite
import SeededRandom
import Testing

@testable import PlaceSearch

// The gazetteer has 130,000 other names of several words, which takes minutes under a sanitizer.
@Suite("Queries that become other words", .timeLimit(.minutes(30)))
struct TypedAliasTests {
    private static let cities: [(name: String, other: String, longitude: Double, latitude: Double)] = [
        ("New York City", "New York", -74.006, 40.714), ("San José", "San Jose", -84.083, 9.933),
        ("Ciudad de Buenos Aires", "Buenos Aires", -58.377, -34.613), ("KL", "Kuala Lumpur", 101.686, 3.143),
        ("Paris", "Ville Lumiere", 2.349, 48.853), ("La Rousse", "La Po Se", 7.43, 43.74),
    ]

    private func cities() throws -> (lifetime: Any, path: String) {
        let (directory, path) = try Written.index(
            of: Self.cities.enumerated().map { number, city in
                Written.point(
                    "n\(number + 1)", city.longitude, city.latitude,
                    ["place": "city", "name": city.name, "alt_name": city.other, "population": "\(900_000 - number)"])
            })
        return (directory, path)
    }

    @Test(
        "another name typed without its spaces is found",
        arguments: [
            ("newyork", "New York City"), ("sanjose", nil), ("buenosaires", "Ciudad de Buenos Aires"),
            ("kualalumpur", "KL"), ("villelumiere", nil), ("newyork museum", nil), ("La Pose", nil),
        ])
    func withoutSpaces(text: String, name: String?) throws {
        let (lifetime, path) = try cities()
        let searcher = try PlaceSearcher(paths: [path])
        for near in [nil, Coordinate(latitude: 43.74, longitude: 7.43)] {
            let found = try searcher.search(text, near: near)
            if let name { #expect(found.first?.name == name, "\(found.map(\.name))") }
            _ = try searcher.suggestions(for: text, near: near)
        }
        #expect(try searcher.search("paris").first?.name == "Paris")
        withExtendedLifetime(lifetime) {}
    }

    /// One other name of so many is searched; all of them by `make test-states`, which takes more than a minute.
    private static let stride = getenv("LOCATIOND_ALL_STATES") == nil ? 16 : 1

    @Test("the other names of the real indexes are searched without their spaces")
    func everyAlias() async throws {
        for path in try await RealPlaces.shared.paths() {
            let searcher = try PlaceSearcher(paths: [path])
            let aliases = try SQLDatabase<PlaceIndexError>(path: path).rows(
                "SELECT DISTINCT key FROM alias WHERE instr(key, ' ') > 0 ORDER BY key"
            ) { (row) throws(PlaceIndexError) in try row.text(0) }
            for index in Swift.stride(from: 0, to: aliases.count, by: Self.stride) {
                let text = aliases[index].filter { $0 != " " }
                #expect(throws: Never.self, "\(text)") { try searcher.search(text, limit: 1) }
            }
        }
    }

    @Test("words that an index has in no folded form cause no error")
    func strangeWords() throws {
        let (lifetime, path) = try cities()
        let database = try SQLDatabase<PlaceIndexError>(path: path)
        try database.run("UPDATE word SET text = 'par\"s' WHERE text = 'paris'")
        try database.run("UPDATE word SET text = 'jo' || char(0) || 'e' WHERE text = 'jose'")
        try database.run("UPDATE alias SET key = 'ville\"*lumiere' WHERE key = 'ville lumiere'")
        let searcher = try PlaceSearcher(paths: [path])
        for text in ["paris", "jose", "villelumiere"] { _ = try searcher.search(text) }
        withExtendedLifetime(lifetime) {}
    }

    @Test("random names, signs and characters are searched without an error", arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) throws {
        let (lifetime, path) = try cities()
        let searcher = try PlaceSearcher(paths: [path])
        var generator = SeededGenerator(seed: seed)
        let names = Self.cities.flatMap { [$0.name, $0.other, $0.other.filter { $0 != " " }] }
        let pieces =
            names + [
                "\"", "\"\"", "'", "*", "^", "(", ")", "{", "}", ":", "+", "-", "|", "&", ",", ";", ".", "\\", "%", "_",
                "AND", "OR", "NOT", "NEAR", "NEAR(a b, 2)", "names:", "words : ", "\u{0}", "\u{1}", "\u{7F}",
                "\u{FEFF}",
                "\u{301}", "\u{20E3}", "\u{200D}", "\u{202E}", "👨‍👩‍👧", "🏳️‍🌈", "東京", "ﷺ", "ß", "\u{F0000}", "\u{10FFFF}",
                " ", "  ", "\n", "5", "5a", " near ", " in ", " & ",
            ]
        for _ in 0..<250 {
            var text = ""
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                var piece = pieces.randomElement(using: &generator) ?? ""
                if Int.random(in: 0..<3, using: &generator) == 0, !piece.isEmpty {
                    // A mistake.
                    piece.remove(
                        at: piece.index(piece.startIndex, offsetBy: .random(in: 0..<piece.count, using: &generator)))
                }
                text += piece
            }
            if Int.random(in: 0..<25, using: &generator) == 0 { text = String(repeating: text, count: 200) }
            let scalars = text.unicodeScalars.map { String($0.value, radix: 16) }.prefix(250).joined(separator: " ")
            #expect(throws: Never.self, "\(scalars)") {
                _ = try searcher.search(text)
                _ = try searcher.suggestions(for: text)
            }
        }
        withExtendedLifetime(lifetime) {}
    }

    @Test("an index without one of its tables is refused when it is opened")
    func missingTables() throws {
        let tables: [SQLText] = [
            "meta", "names", "alias", "word", "reversed", "detail", "country", "context", "course_box",
        ]
        for table in tables {
            let (lifetime, path) = try cities()
            let database = try SQLDatabase<PlaceIndexError>(path: path)
            try database.run("DROP TABLE \(table)")
            #expect(throws: PlaceIndexError.self, "\(table)") { try PlaceSearcher(paths: [path]) }
            withExtendedLifetime(lifetime) {}
        }
    }
}
