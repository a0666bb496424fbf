/// The lines of the table.
enum Row {
    enum Aim {
        case atMost(Double)
        case atLeast(Double)
    }

    static let header = line("measured", "locationd", "broadcaster", "reached", "aim", "")

    /// Prints a figure of the daemon and of the broadcaster; the aim is for their ratio.
    static func print(_ name: String, _ figure: Comparison, aim: Double) {
        let ratio = figure.daemon / figure.broadcaster
        Swift.print(
            line(
                name, "\(text(figure.daemon)) \(figure.unit)", "\(text(figure.broadcaster)) \(figure.unit)",
                "\(text(ratio))×", "≤ \(text(aim))×", ratio <= aim ? "yes" : "NO"))
    }

    /// Prints a figure of the daemon alone.
    static func print(_ name: String, _ value: Double, _ unit: String, aim: Aim) {
        let (aimText, isReached) =
            switch aim {
            case .atMost(let limit): ("≤ \(text(limit))", value <= limit)
            case .atLeast(let limit): ("≥ \(text(limit))", value >= limit)
            }
        Swift.print(line(name, "", "", "\(text(value)) \(unit)", "\(aimText) \(unit)", isReached ? "yes" : "NO"))
    }

    static func note(_ text: String) {
        Swift.print("    " + text)
    }

    private static func line(_ columns: String...) -> String {
        let widths = [66, 14, 14, 14, 14, 4]
        return zip(columns, widths).map { $0 + String(repeating: " ", count: max(1, $1 - $0.count)) }.joined()
    }

    /// Two decimals below 100, none above.
    private static func text(_ value: Double) -> String {
        guard abs(value) < 100 else { return "\(Int(value.rounded()))" }
        let hundredths = Int((value * 100).rounded())
        let fraction = hundredths % 100
        if fraction == 0 { return "\(hundredths / 100)" }
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}

/// The same figure of both servers.
struct Comparison {
    var daemon: Double
    var broadcaster: Double
    var unit: String
}
