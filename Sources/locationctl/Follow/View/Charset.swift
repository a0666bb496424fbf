/// What the terminal can show.
enum Charset: Hashable, Sendable {
    /// Braille dots, arrows and the signs of typography.
    case unicode
    /// The printable characters of ASCII and nothing else.
    case ascii

    /// What the locale of an environment says, in the order that the C library looks at it.
    static func of(_ environment: (String) -> String?) -> Charset {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8") ? .unicode : .ascii
    }

    /// The text with what cannot be shown replaced. Every scalar of the result takes one column.
    func spell(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch self {
            case .unicode: result.append(scalar.isNarrow ? scalar : "?")
            case .ascii: result.append(contentsOf: Self.asciiSpelling(of: scalar).unicodeScalars)
            }
        }
        return String(result)
    }

    private static func asciiSpelling(of scalar: Unicode.Scalar) -> String {
        switch scalar {
        case " "..."~": String(scalar)
        case "°": ""
        case "±": "+/-"
        case "−", "–", "·": "-"
        case "…": "..."
        case "‘", "’": "'"
        case "“", "”": "\""
        case "●": "*"
        case "↑": "^"
        case "↓": "v"
        case "←": "<"
        case "→": ">"
        default: "?"
        }
    }
}

extension Unicode.Scalar {
    /// Whether it takes just one column of a terminal and stands for itself. Strict rather than complete: what is wide,
    /// what joins with its neighbours and what steers a terminal would put all that follows in the wrong place.
    fileprivate var isNarrow: Bool {
        switch value {
        case 0x20...0x7e, 0xa1...0xac, 0xae...0x2ff, 0x370...0x482, 0x48a...0x58f: true
        case 0x2010...0x2027, 0x2030...0x205e, 0x2190...0x21ff, 0x2212, 0x2500...0x25ff, 0x2800...0x28ff: true
        default: false
        }
    }
}
