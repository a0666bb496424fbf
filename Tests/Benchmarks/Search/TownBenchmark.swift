import FoundationEssentials
import PlaceFixtures
import PlaceSearch

/// Prints how many of the searches of ``TownTable`` find the place meant, in each town and altogether.
enum TownBenchmark {
    /// The number of names of each town.
    private static let names = 60
    private static let seed: UInt64 = 38

    static func run() async throws {
        let arguments = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
        var extracts = ExtractIndex.Extract.allCases.map(\.path)
        for directory in arguments {
            extracts += try FileManager.default.contentsOfDirectory(atPath: directory).filter {
                $0.contains(".osm.")
            }.sorted().map { "\(directory)/\($0)" }
        }
        var sum = TownScore()
        var times: [Double] = []
        for extract in extracts {
            let name = extract.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? extract
            let path = ".build/map-fixtures/\(name).town.places"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let summary = try await ExtractIndex.write(extractAt: extract, to: path)
            let searcher = try PlaceSearcher(paths: [path, ExtractIndex.world])
            let rows = try TownTable.rows(forIndexAt: path, names: names, seed: seed, searcher)
            let score = try TownScore(rows, searcher)
            if CommandLine.arguments.contains("--misses") { for miss in score.misses { print("  \(miss)") } }
            print("\(name): \(summary.places) places, index of \(summary.size / 1000) kB")
            show(score)
            sum += score
            times += try keystrokes(rows, searcher)
        }
        print("all \(extracts.count) extracts")
        show(sum)
        show("slips", sum.slips)
        times.sort()
        let quantiles = [0.5, 0.95, 0.99].map { share -> Double in
            let time = times[min(times.count - 1, Int(Double(times.count) * share))]
            return (time * 100).rounded() / 100
        }
        print(
            "\(times.count) keystrokes: p50 \(quantiles[0]) ms, p95 \(quantiles[1]) ms, p99 \(quantiles[2]) ms")
    }

    private static func show(_ score: TownScore) {
        for (kind, count) in score.kinds.sorted(by: { $0.key < $1.key }) { show(kind, count) }
    }

    private static func show(_ kind: String, _ count: TownScore.Count) {
        func percent(_ share: Double) -> String { "\((share * 100).rounded())" }
        print(
            "  \(kind): \(percent(count.shareFirst)) % first, \(percent(count.shareAmongFive)) % among five, "
                + "\(percent(count.shareSuggested)) % suggested, of \(count.searches)")
    }

    /// Returns the time of each suggestion while the texts of the rows are typed, in milliseconds.
    private static func keystrokes(_ rows: [TownTable.Row], _ searcher: PlaceSearcher) throws -> [Double] {
        let clock = ContinuousClock()
        return try rows.filter { !$0.isTyped }.flatMap { row in
            try (1...row.text.count).map { length in
                let time = try clock.measure {
                    _ = try searcher.suggestions(for: String(row.text.prefix(length)), near: row.near)
                }
                return Double(time.components.attoseconds) / 1e15
            }
        }
    }
}
