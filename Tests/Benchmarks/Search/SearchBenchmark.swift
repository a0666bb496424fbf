import Glibc
import LocationModel
import PlaceFixtures
import PlaceSearch

/// Measures the quality and the cost of search.
///
/// - `search-benchmark [TABLE]`: the queries of the project, or those of the file TABLE.
/// - `search-benchmark --towns [DIRECTORY]`: searches made from the names of extracts, those of the tests and all in
///   DIRECTORY (`*.osm.pbf`, `*.osm.gz`, `*.osm.bz2`). With `--misses` it lists what was not found.
@main
struct SearchBenchmark {
    static func main() async throws {
        if CommandLine.arguments.contains("--towns") { return try await TownBenchmark.run() }
        var paths: [String] = []
        for extract in ExtractIndex.Extract.ofQueries {
            let path = ".build/map-fixtures/\(extract.rawValue).places"
            print("\(extract.rawValue): \(try await ExtractIndex.write(extract, to: path))")
            paths.append(path)
        }
        let before = privateMemory()
        let searcher = try PlaceSearcher(paths: paths + [ExtractIndex.world])
        let rows = try CommandLine.arguments.count > 1 ? QueryTable.read(CommandLine.arguments[1]) : QueryTable.read()
        let score = try QueryTable.run(rows, searcher)
        show(score)
        row("expected first", score.shareFirst * 100, "%", aim: "at least 85")
        row("expected among five", score.shareAmongFive * 100, "%", aim: "at least 95")
        let nearby = try QueryTable.read(QueryTable.nearby)
        let scoreNearby = try QueryTable.run(nearby, searcher, isOnMap: true)
        show(scoreNearby)
        row("nearby: expected first", scoreNearby.shareFirst * 100, "%", aim: "at least 97")
        row("nearby: expected among five", scoreNearby.shareAmongFive * 100, "%", aim: "at least 99")
        row("typed: expected among five", scoreNearby.shareTyped * 100, "%", aim: "at least 90")
        try reverse(searcher)
        try latency(rows + nearby, searcher)
        row("memory", Double(privateMemory() - before) / 1e6, "MB", aim: "at most 20")
    }

    private static func show(_ score: QueryTable.Score) {
        for miss in score.misses { print("  \(miss)") }
        for (name, group) in score.groups.sorted(by: { $0.key < $1.key }) {
            print("\(name): \(group.first) first and \(group.amongFive) among five of \(group.queries)")
        }
    }

    private static func reverse(_ searcher: PlaceSearcher) throws {
        let points = try ReverseTable.read()
        var right = 0
        for point in points {
            let address = try searcher.address(at: point.position)
            if point.streets.contains(address.thoroughfare ?? "") {
                right += 1
            } else {
                print("  reverse: \(point.position) → \(address.line()), not \(point.streets)")
            }
        }
        row(
            "right street of \(points.count) points", Double(right) / Double(points.count) * 100, "%",
            aim: "at least 95")
    }

    private static func latency(_ rows: [QueryTable.Row], _ searcher: PlaceSearcher) throws {
        let clock = ContinuousClock()
        var keystrokes: [Double] = []
        var misspelt: [Double] = []
        var nearby: [Double] = []
        let isVerbose = CommandLine.arguments.contains("--slow")
        func measure(_ body: () throws -> Void) rethrows -> Double {
            Double(try clock.measure(body).components.attoseconds) / 1e15
        }
        for row in rows where row.group != "coordinate" {
            let letters = (1...row.query.count).map { String(row.query.prefix($0)) }
            // Letter by letter, as it is typed: what one call has read may serve the next.
            let runs = try (0..<4).map { _ in
                try letters.map { typed in
                    try measure { _ = try searcher.suggestions(for: typed, near: row.near) }
                }
            }
            for (position, typed) in letters.enumerated() {
                let time = runs.dropFirst().map { $0[position] }.min() ?? 0
                if row.group == "misspelt" { misspelt.append(time) } else { keystrokes.append(time) }
                if time > 5, isVerbose { print("  \(typed): \(time) ms") }
            }
            if row.group == "category", let near = row.near {
                let times = try (0..<4).map { _ in
                    // What the search before has read does not serve the next.
                    _ = try searcher.suggestions(for: "", near: near)
                    return try measure { _ = try searcher.search(row.query, near: near) }
                }
                let time = times.dropFirst().min() ?? 0
                nearby.append(time)
                if time > 3, isVerbose { print("  \(row.query), near \(near.latitude), \(near.longitude): \(time) ms") }
            }
        }
        Self.row(
            "suggestions, median of \(keystrokes.count) keystrokes", quantile(keystrokes, 0.5), "ms", aim: "at most 2")
        Self.row("suggestions, p95", quantile(keystrokes, 0.95), "ms", aim: "at most 5")
        Self.row("suggestions, p99", quantile(keystrokes, 0.99), "ms", aim: "at most 10")
        Self.row("misspelt, median of \(misspelt.count) keystrokes", quantile(misspelt, 0.5), "ms", aim: "at most 15")
        Self.row("misspelt, p95", quantile(misspelt, 0.95), "ms", aim: "at most 15")
        Self.row("near me, median", quantile(nearby, 0.5), "ms", aim: "at most 3")
        Self.row("near me, p95", quantile(nearby, 0.95), "ms", aim: "at most 3")
    }

    private static func quantile(_ values: [Double], _ share: Double) -> Double {
        values.isEmpty ? 0 : values.sorted()[min(values.count - 1, Int(Double(values.count) * share))]
    }

    private static func row(_ name: String, _ value: Double, _ unit: String, aim: String) {
        print("\(name): \((value * 100).rounded() / 100) \(unit) (\(aim))")
    }

    /// What the process has of its own, in bytes.
    private static func privateMemory() -> Int {
        guard let file = fopen("/proc/self/smaps_rollup", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 200)
        var sum = 0
        while fgets(&line, 200, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("Private_"),
                let number = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
            {
                sum += number * 1024
            }
        }
        return sum
    }
}
