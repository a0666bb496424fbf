import CommandLineSupport
import Glibc

/// A scale bar with a round length: 1, 2 or 5 times a power of ten of a unit.
struct TerminalScaleBar: Hashable {
    let metres: Double
    /// Its length on the screen in columns.
    let columns: Int
    /// Its length as text: `50 m`, `0.2 NM`.
    let length: String

    /// The longest round length of at most `limit` columns; `nil` if none has two columns.
    init?(metresPerColumn: Double, limit: Int, units: UnitSystem = .metric) {
        let most = metresPerColumn * Double(limit)
        guard most.isFinite, most > 0 else { return nil }
        // Sea charts have tenths of a nautical mile.
        let unit = most >= units.long.metres * (units == .nautical ? 0.1 : 1) ? units.long : units.short
        let power = pow(10, floor(log10(most / unit.metres)))
        let value = ([5, 2, 1].first { $0 * power <= most / unit.metres } ?? 1) * power
        metres = value * unit.metres
        length = "\(TextFormat.number(value, value < 1 ? 1 : 0)) \(unit.symbol)"
        columns = min(limit, Int((metres / metresPerColumn).rounded()))
        guard columns >= 2 else { return nil }
    }

    /// The bar with its length as text: `├────┤ 50 m`.
    func text(_ charset: Charset) -> String {
        let line = String(repeating: charset == .unicode ? "─" : "-", count: columns - 2)
        let bar = charset == .unicode ? "├\(line)┤" : "|\(line)|"
        return "\(bar) \(length)"
    }
}
