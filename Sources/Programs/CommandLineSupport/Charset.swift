import Glibc

/// The character set of a terminal.
package enum Charset: Hashable, Sendable {
    /// Braille dots, arrows and typographic characters.
    case unicode
    /// Printable ASCII only.
    case ascii

    /// The character set of the environment's locale, from the variables in the C library's order.
    package static func of(_ environment: (String) -> String?) -> Charset {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8") ? .unicode : .ascii
    }

    /// The character set of what this program prints. Without any locale it is Unicode, as under a service manager, whose
    /// journal takes it; a terminal has one.
    package static let ofOutput: Charset = {
        func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        let hasLocale = ["LC_ALL", "LC_CTYPE", "LANG"].contains { value($0)?.isEmpty == false }
        return hasLocale ? .of(value) : .unicode
    }()

    /// The text with substitutes for characters that are not ASCII, if the character set is that.
    package func encodable(_ text: String) -> String {
        guard self == .ascii, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return text.unicodeScalars.map(Self.asciiSpelling(of:)).joined()
    }

    /// The text with substitutes for characters that cannot be shown. Every scalar of the result takes one column.
    package func spell(_ text: String) -> String {
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
        case "‘", "’", "′": "'"
        case "“", "”", "″": "\""
        case "●": "*"
        case "↑": "^"
        case "↓": "v"
        case "←": "<"
        case "→": ">"
        case "×": "x"
        case "├", "┤", "│": "|"
        case "─": "-"
        default: letters[scalar] ?? "?"
        }
    }

    /// The letters of Latin alphabets by their nearest ASCII ones.
    private static let letters: [Unicode.Scalar: String] = {
        var letters: [Unicode.Scalar: String] = [:]
        for (ascii, accented) in asciiLetters {
            for scalar in accented.unicodeScalars { letters[scalar] = ascii }
        }
        return letters
    }()

    private static let asciiLetters = [
        "'n": "ŉ", "A": "ÀÁÂÃÄÅĀĂĄ", "AE": "Æ", "C": "ÇĆĈĊČ", "D": "ÐĎĐ", "E": "ÈÉÊËĒĔĖĘĚ", "G": "ĜĞĠĢ", "H": "ĤĦ",
        "I": "ÌÍÎÏĨĪĬĮİ", "IJ": "Ĳ", "J": "Ĵ", "K": "Ķ", "L": "ĹĻĽĿŁ", "N": "ÑŃŅŇŊ", "O": "ÒÓÔÕÖØŌŎŐ", "OE": "Œ",
        "R": "ŔŖŘ", "S": "ŚŜŞŠȘ", "SS": "ẞ", "T": "ŢŤŦȚ", "Th": "Þ", "U": "ÙÚÛÜŨŪŬŮŰŲ", "W": "Ŵ", "Y": "ÝŶŸ",
        "Z": "ŹŻŽ", "a": "àáâãäåāăą", "ae": "æ", "c": "çćĉċč", "d": "ðďđ", "e": "èéêëēĕėęě", "g": "ĝğġģ", "h": "ĥħ",
        "i": "ìíîïĩīĭįı", "ij": "ĳ", "j": "ĵ", "k": "ķĸ", "l": "ĺļľŀł", "n": "ñńņňŋ", "o": "òóôõöøōŏő", "oe": "œ",
        "r": "ŕŗř", "s": "śŝşšſș", "ss": "ß", "t": "ţťŧț", "th": "þ", "u": "ùúûüũūŭůűų", "w": "ŵ", "y": "ýÿŷ",
        "z": "źżž",
    ]
}

extension Unicode.Scalar {
    /// True if the scalar takes exactly one column and stands for itself. In doubt false: wide, combining and control
    /// characters would displace everything after them.
    fileprivate var isNarrow: Bool {
        switch value {
        case 0x20...0x7e, 0xa1...0xac, 0xae...0x2ff, 0x370...0x482, 0x48a...0x58f: true
        case 0x2010...0x2027, 0x2030...0x205e, 0x2190...0x21ff, 0x2212, 0x2500...0x25ff, 0x2800...0x28ff: true
        default: false
        }
    }
}
