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
    /// Exponents are accepted, because some loggers write them, and a comma in place of the point.
    static func value(_ text: String) -> Double? {
        var text = text
        if !isPlain(text) {
            text = String(text.trimmed)
            if !text.contains("."), let comma = text.firstIndex(of: ",") {
                text.replaceSubrange(comma...comma, with: ".")
            }
            guard isPlain(text) else { return nil }
        }
        guard let value = Double(text) else { return nil }
        return value.isFinite ? value : nil
    }

    /// True if `text` has only the characters of decimal numbers.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x2b, 0x2d, 0x2e, 0x45, 0x65: true
            default: false
            }
        }
    }
}

extension StringProtocol {
    /// The text without XML's white space at both ends.
    var trimmed: Substring {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }
        let text = Substring(self)
        guard let first = text.utf8.firstIndex(where: { !isSpace($0) }),
            let last = text.utf8.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return text[first...last]
    }
}
