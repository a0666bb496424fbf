/// A house number as maps and people write it: `12`, `12a`, `12 A`, `12-A`, `12 bis`, `30-Б`, `16к2`, `3/A`, `1½`, `48-50`, `1307/2`.
///
/// Spaces, and signs between a digit and a letter, do not matter.
struct HouseNumber: Hashable {
    /// The number in small letters without spaces, with signs between digits only.
    let key: String
    /// The numbers in it: two in a range, or in a number of a town and one of its street.
    private let parts: [Int]
    /// True if ``parts`` is a range.
    private let isRange: Bool

    private static let maximumLength = 24
    /// The greatest number of houses in a range.
    private static let longestRange = 30

    /// Reads a number; `nil` without a digit.
    init?(_ text: some StringProtocol) {
        var key = String.UnicodeScalarView()
        var sign: Unicode.Scalar?
        for scalar in Self.written(text).unicodeScalars.prefix(Self.maximumLength) {
            switch scalar {
            case "-", "–", "/", "‑": sign = scalar == "/" ? "/" : "-"
            case _ where scalar.properties.isAlphabetic || scalar.properties.numericType != nil:
                // A range of "7a-7c" stays one.
                if let sign, let last = key.last, last.isDigit, scalar.isDigit { key.append(sign) }
                sign = nil
                key.append(Self.lookalikes[scalar] ?? scalar)
            default: if sign == nil { sign = " " }
            }
        }
        let folded = key.drop { !$0.isDigit }
        guard !folded.isEmpty else { return nil }
        var text = String(String.UnicodeScalarView(folded))
        // "B-12" is "12b", and "N 12" is 12.
        if let first = key.first, !first.isDigit, key.count == folded.count + 1, first != "n", first != "д" {
            text.unicodeScalars.append(first)
        }
        for (word, short) in Self.shortForms { text = text.replacing(word, with: short) }
        self.key = text
        let numbers = text.unicodeScalars.split { !$0.isDigit }.prefix(3).map {
            Int(String($0.prefix(6).map(Character.init))) ?? 0
        }
        parts = numbers
        isRange =
            numbers.count == 2 && text.contains("-") && numbers[0] < numbers[1]
            && numbers[1] - numbers[0] <= Self.longestRange
    }

    /// The leading digits.
    var digits: String { String(String.UnicodeScalarView(key.unicodeScalars.prefix { $0.isDigit })) }

    /// Words in a number, with the letters that are written for them.
    private static let shortForms = [
        ("корпус", "к"), ("корп", "к"), ("строение", "с"), ("стр", "с"), ("rosso", "r"), ("nero", "n"), ("huis", "hs"),
    ].map { (latin($0), latin($1)) }

    private static func latin(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { lookalikes[$0] ?? $0 }))
    }

    /// Small letters that look like Latin ones, which people type with the keyboard that they have.
    private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = [
        "а": "a", "в": "b", "е": "e", "к": "k", "о": "o", "р": "p", "с": "c", "у": "y", "х": "x", "і": "i", "ј": "j",
        "α": "a",
        "β": "b", "ε": "e", "ο": "o",
    ]

    /// Returns a text in small letters, with the digits of all scripts as Latin ones and fractions as one letter.
    static func written(_ text: some StringProtocol) -> String {
        let text = text.lowercased()
        guard text.utf8.contains(where: { $0 >= 0x80 || $0 == 0x20 }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !scalar.isASCII, scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue,
                let digit = Unicode.Scalar(48 + Int(value))
            {
                result.append(digit)
            } else {
                result.append(scalar)
            }
        }
        var written = String(result)
        for (long, short) in [(" 1/2", "½"), (" 1/4", "¼"), (" 3/4", "¾"), (" 1/3", "⅓"), (" 2/3", "⅔")] {
            written = written.replacing(long, with: short)
        }
        return written
    }

    /// Returns how well a number of a map is the one that is searched for, 0 for the same; `nil` if it is another one.
    func mismatch(with other: HouseNumber) -> Int? {
        if other.key == key { return 0 }
        let hasSuffix = parts.count == 1 && key != digits
        if !hasSuffix, parts.count == 1 {
            // "48" is one of "48-50", and "2" is the number in the street of "1307/2".
            if other.isRange || other.key.contains("/"), other.parts.contains(parts[0]) { return 1 }
            if other.isRange, other.parts[0] < parts[0], parts[0] < other.parts[1],
                (parts[0] - other.parts[0]).isMultiple(of: 2)
            {
                return 2
            }
        }
        guard let first = parts.first, first == other.parts.first else { return nil }
        // An unknown letter still finds the number.
        return other.key == digits ? 3 : hasSuffix || parts.count > 1 ? 5 : 4
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
