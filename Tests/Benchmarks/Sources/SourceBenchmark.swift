import Glibc
import SourceSimulation

/// `make bench-sources`: measures the choice among sources in 400 simulated hours, beside the rules of others.
///
/// Fails when an aim is missed.
@main
struct SourceBenchmark {
    private static let seeds = UInt64(1)...400
    private static let (mostChanges, mostJumps, longestInWrongCity, largestError) = (5.0, 7.0, 2.0, 45.0)

    static func main() {
        print("mean of \(seeds.count) hours".padded(to: 24), "changes  jumps  wrong city, s  error 95 %, m  times back")
        let own = measure("this service", figuresOfGroup)
        _ = measure("AOSP fused provider", figuresOfFusedProvider)
        _ = measure("GeoClue 2.5.7", figuresOfGeoClue)
        let isReached =
            own.changes <= mostChanges && own.jumps <= mostJumps && own.wrongCity <= longestInWrongCity
            && own.error <= largestError && own.timesBack == 0
        print(
            "aims: \(mostChanges) changes, \(mostJumps) jumps, \(longestInWrongCity) s, \(largestError) m, no time back:",
            isReached ? "reached" : "MISSED")
        if !isReached { exit(1) }
    }

    private static func measure(
        _ name: String, _ figures: (SyntheticHour) -> ChoiceFigures
    ) -> (changes: Double, jumps: Double, wrongCity: Double, error: Double, timesBack: Int) {
        let all = seeds.map { figures(SyntheticHour(seed: $0)) }
        func mean(_ value: (ChoiceFigures) -> Double) -> Double { all.map(value).reduce(0, +) / Double(all.count) }
        let means = (
            changes: mean { Double($0.changes) }, jumps: mean { Double($0.jumps) },
            wrongCity: mean { Double($0.wrongCity) }, error: mean(\.error95),
            timesBack: all.map(\.timesBack).reduce(0, +)
        )
        let columns = [(means.changes, 7), (means.jumps, 7), (means.wrongCity, 15), (means.error, 15)].map {
            value, width in
            "\((value * 10).rounded() / 10)".leftPadded(to: width)
        }
        print(name.padded(to: 24), columns.joined(), "\(means.timesBack)".leftPadded(to: 11))
        return means
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + spaces(to: width) }
    fileprivate func leftPadded(to width: Int) -> String { spaces(to: width) + self }
    private func spaces(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) }
}
