import Glibc
import TrackingSimulation

/// Prints the lines of the tables and counts missed aims.
struct Table {
    private(set) var missed = 0

    static let standard =
        "error σ 3 m lasting 30 s and 0.5 m new each time, speed 0.1–0.3 m/s, delay 0.05–0.35 s and jitter"

    private static let widths = [30, 14, 7, 7, 7, 9, 8, 8, 9, 9, 8, 16]

    func printHeader() {
        line(
            "", "RMS / held m", "RMS", "mean", "p95", "in radius", "radius", "wander", "stop p99", "jerk p99", "max",
            "jump")
        line("aims", "", "≤ 0.5", "≤ 0.8", "≤ 1.0", "68 ± 5 %", "m", "", "≤ 1 r", "m/s³", "≤ 2500", "≤ 0.5 m at 60 Hz")
    }

    mutating func print(_ scenario: Scenario, _ measured: Measured, rate: Double, receiver: String? = nil) {
        let misses = receiver == nil ? measured.missed(scenario.kind, rate: rate) : []
        missed += misses.count
        line(
            receiver.map { "\($0): \(scenario.kind)" } ?? scenario.name,
            "\(text(measured.rms)) / \(text(measured.heldRMS))",
            text(measured.rmsRatio) + "×", text(measured.meanRatio) + "×", text(measured.p95Ratio) + "×",
            text(measured.coverage * 100, 1) + " %", text(measured.radius), text(measured.wander) + "×",
            measured.overshoots.isEmpty ? "" : text(measured.overshoots.quantile(0.99)) + " r",
            text(measured.jerks.quantile(0.99), 0), text(measured.jerks.quantile(1), 0),
            text(measured.largestJump) + " m",
            receiver != nil ? "" : misses.isEmpty ? "yes" : "NO: \(misses.joined(separator: ", "))")
    }

    func printForetellingHeader() {
        line("", "frames", "p50", "held", "p95", "held", "p99", "held")
    }

    mutating func printForetelling(_ name: String, _ filter: [Double], _ held: [Double]) {
        let isReached = filter.quantile(0.99) <= held.quantile(0.99) + Aim.rounding
        if !isReached { missed += 1 }
        line(
            name, "\(filter.count)", text(filter.quantile(0.5)), text(held.quantile(0.5)), text(filter.quantile(0.95)),
            text(held.quantile(0.95)), text(filter.quantile(0.99)), text(held.quantile(0.99)), isReached ? "yes" : "NO")
    }

    /// Stops with exact positions.
    mutating func printStops(_ measured: Measured) {
        let furthest = measured.beyond.quantile(1)
        let isReached = furthest <= Aim.overshoot
        if !isReached { missed += 1 }
        Swift.print(
            "\n\(measured.beyond.count) hard stops with exact positions: at most \(text(furthest)) stated radii beyond the place, "
                + "aim ≤ \(text(Aim.overshoot)): \(isReached ? "yes" : "NO")")
    }

    mutating func printCost(nanoseconds: Double) {
        let isReached = nanoseconds <= Aim.cost
        if !isReached { missed += 1 }
        Swift.print(
            "\nA frame costs \(text(nanoseconds, 0)) ns, aim ≤ \(text(Aim.cost, 0)) ns: \(isReached ? "yes" : "NO")")
    }

    private func line(_ columns: String...) {
        let padded = zip(columns, Self.widths + [40]).map { $0 + String(repeating: " ", count: max(1, $1 - $0.count)) }
        Swift.print(padded.joined())
    }

    private func text(_ value: Double, _ digits: Int = 2) -> String {
        guard value.isFinite else { return "\(value)" }
        let unit = pow(10, Double(digits))
        let whole = Int((abs(value) * unit).rounded())
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let fraction = String(whole % Int(unit))
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(sign)\(whole / Int(unit)).\(zeros)\(fraction)"
    }
}
