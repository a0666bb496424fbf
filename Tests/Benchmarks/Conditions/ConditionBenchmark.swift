import Glibc
import ConditionSimulation
import LocationConditions

/// `make bench-conditions`: measures conditions at their borders, in a large index, in the service, and over simulated days.
///
/// Fails when an aim is missed.
@main
struct ConditionBenchmark {
    static func main() async {
        let parts = CommandLine.arguments.dropFirst()
        var isReached = true
        func measure(_ part: String, _ body: () async -> Bool) async {
            if parts.isEmpty || parts.contains(part) { isReached = await body() && isReached }
        }
        await measure("borders", BorderTable.measure)
        await measure("index", IndexTable.measure)
        await measure("service", ServiceTable.measure)
        await measure("days", DayTable.measure)
        if !isReached { exit(1) }
    }
}

extension String {
    func padded(to width: Int) -> String { self + spaces(to: width) }
    func leftPadded(to width: Int) -> String { spaces(to: width) + self }
    private func spaces(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) }
}

extension Double {
    /// The number with `digits` decimals.
    func text(_ digits: Int = 1) -> String {
        guard isFinite else { return "-" }
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        let rounded = (self * factor).rounded() / factor
        return digits == 0 ? "\(Int(rounded))" : "\(rounded)"
    }
}

extension [Double] {
    /// The value that `share` of the values do not exceed.
    func quantile(_ share: Double) -> Double {
        let sorted = sorted()
        return sorted.isEmpty ? .nan : sorted[Swift.min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
