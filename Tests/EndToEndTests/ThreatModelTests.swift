import FoundationEssentials
import Testing

/// The table of attempts in the threat model names tests that exist.
@Suite(.timeLimit(.minutes(10))) struct ThreatModelTests {
    /// Each test that the table names, `Suite/test` or `Tests/directory/file.py: test`, is there and is a test.
    @Test func everyTestOfTheTableExists() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "..")
        func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
        let page = try text(
            tests.appending(path: "../Sources/Programs/LocationDaemon/LocationDaemon.docc/ThreatModel.md"))
        let start = try #require(page.firstRange(of: "## Attempts"))
        let section = page[start.upperBound...].prefix { $0 != "#" }
        let names = section.split(separator: "`").filter { $0.contains("Tests/") }
        try #require(names.count > 40)
        var sources: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path)
        where path.hasSuffix(".swift") && path.contains("Tests/") {
            var suite = ""
            for line in try text(tests.appending(path: path)).split(separator: "\n") {
                // A type within a suite is indented. A suite may have extensions.
                if !line.hasPrefix(" "),
                    let word = line.firstRange(of: "struct ") ?? line.firstRange(of: "extension ")
                {
                    suite = String(line[word.upperBound...].prefix { $0.isLetter || $0.isNumber })
                }
                sources[suite, default: ""] += line + "\n"
            }
        }
        for name in names {
            if name.hasPrefix("Tests/") {
                let parts = name.split(separator: ": ")
                try #require(parts.count == 2, "\(name)")
                let file = try text(tests.appending(path: String(parts[0].dropFirst("Tests/".count))))
                #expect(file.contains("    def \(parts[1])(self):"), "\(name)")
            } else {
                let parts = name.split(separator: "/")
                try #require(parts.count == 2, "\(name)")
                let suite = try #require(sources[String(parts[0])], "\(name)")
                let function = try #require(suite.firstRange(of: "func \(parts[1])("), "\(name)")
                #expect(suite[..<function.lowerBound].suffix(700).contains("@Test"), "\(name)")
            }
        }
    }
}
