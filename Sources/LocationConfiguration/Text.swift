extension UInt8 {
    /// An ASCII letter or digit, `-` or `_`.
    var isASCIINameCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Whether it can move the cursor, end a line or turn the direction of the text around it: nothing for a prompt.
    var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}

extension String {
    /// Itself, or quoted and escaped when printing it as it is would do more than show it.
    var singleLine: String { unicodeScalars.contains(where: \.isControl) ? quoted : self }

    /// In quotes, escaped, and shortened to a length for messages.
    var quoted: String {
        let shown = unicodeScalars.prefix(80)
        let escaped = shown.map { $0.isControl ? "\\u{\(String($0.value, radix: 16))}" : $0.escaped(asASCII: false) }
        return "\"\(escaped.joined())\(shown.endIndex == unicodeScalars.endIndex ? "" : "…")\""
    }
}
