import TextSupport

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

extension String {
    /// The text, quoted and escaped if it has unsafe characters.
    var singleLine: String { isUnsafeToShow ? quoted : self }

    /// The text in quotation marks, escaped, and shortened for messages.
    var quoted: String {
        let shown = unicodeScalars.prefix(80)
        let escaped = shown.map {
            $0.isUnsafeToShow ? "\\u{\(String($0.value, radix: 16))}" : $0.escaped(asASCII: false)
        }
        return "\"\(escaped.joined())\(shown.endIndex == unicodeScalars.endIndex ? "" : "…")\""
    }
}
