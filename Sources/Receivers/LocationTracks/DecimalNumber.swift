import Glibc

/// Conversion of numbers to and from XML Schema's `decimal`, which has neither exponents nor NaN and infinities.
enum DecimalNumber {
    /// `value`, rounded, without trailing zeros. Its magnitude must be below 10⁹, and `places` at most 9.
    static func text(_ value: Double, places: Int) -> String {
        var unit: Int64 = 1
        for _ in 0..<places { unit *= 10 }
        let scaled = Int64((abs(value) * Double(unit)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        var fraction = scaled % unit
        guard fraction > 0 else { return "\(sign)\(scaled / unit)" }
        var digits = places
        while fraction % 10 == 0 {
            fraction /= 10
            digits -= 1
        }
        let decimals = "\(fraction)"
        return "\(sign)\(scaled / unit)." + String(repeating: "0", count: digits - decimals.utf8.count) + decimals
    }

    /// The value of `text`, which may have white space around it; `nil` for anything but a finite decimal number.
    /// Exponents are accepted, because some loggers write them.
    static func value(_ text: some StringProtocol) -> Double? {
        let text = text.trimmed
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let value = Double(text) else {
            return nil
        }
        return value.isFinite ? value : nil
    }
}

extension StringProtocol {
    /// The text without XML's white space at both ends.
    var trimmed: Substring {
        func isSpace(_ character: Character) -> Bool {
            switch character {
            case " ", "\t", "\r", "\n", "\r\n": true
            default: false
            }
        }
        var text = Substring(self).drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
