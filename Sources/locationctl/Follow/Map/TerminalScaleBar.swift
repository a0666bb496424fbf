import Glibc

/// A round length for a scale bar: 1, 2 or 5 times a power of ten, in metres.
struct TerminalScaleBar: Hashable {
    let metres: Double
    /// Its length on the screen in columns.
    let columns: Int

    /// The longest round length of at most `limit` columns; `nil` if none has two columns.
    init?(metresPerColumn: Double, limit: Int) {
        let most = metresPerColumn * Double(limit)
        guard most.isFinite, most > 0 else { return nil }
        let power = pow(10, floor(log10(most)))
        metres = ([5, 2, 1].first { $0 * power <= most } ?? 1) * power
        columns = min(limit, Int((metres / metresPerColumn).rounded()))
        guard columns >= 2 else { return nil }
    }

    /// The bar with its length as text: `├────┤ 50 m`.
    func text(_ charset: Charset) -> String {
        let line = String(repeating: charset == .unicode ? "─" : "-", count: columns - 2)
        let bar = charset == .unicode ? "├\(line)┤" : "|\(line)|"
        return "\(bar) \(Quantity.round(metres))"
    }
}
