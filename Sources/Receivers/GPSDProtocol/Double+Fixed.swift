extension Double {
    /// The number with this many decimals, 0 to 9; `nil` for NaN, infinity and larger numbers.
    package func fixed(_ decimals: Int, width: Int = 1) -> String? {
        let scale = (0..<decimals).reduce(1.0) { factor, _ in factor * 10 }
        let scaled = (self * scale).rounded()
        guard let number = Int64(exactly: scaled) else { return nil }
        let digits = String(number.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + width - digits.count)) + digits
        let sign = number < 0 ? "-" : ""
        return sign + (decimals == 0 ? padded : "\(padded.dropLast(decimals)).\(padded.suffix(decimals))")
    }
}
