import CPlaceTables

/// The form in which names and queries are compared: small letters without accents, with one space between words.
///
/// Letters with accents become plain letters, ligatures and ß two letters, digits of other scripts Latin ones.
/// Apostrophes are removed, so that "L'Aquila" is one word; all other characters but letters, digits and marks separate
/// words. In scripts without spaces a run of letters is one word.
enum Folding {
    /// The greatest length of a word; the rest is cut.
    static let maximumWordLength = 64

    /// Returns the folded form of `text`, of at most `limit` scalars.
    static func fold(_ text: some StringProtocol, limit: Int = 512) -> String {
        var result = String.UnicodeScalarView()
        var isBetween = true
        var length = 0
        func add(_ scalar: Unicode.Scalar) {
            if isBetween, !result.isEmpty { result.append(" ") }
            if isBetween { length = 0 }
            isBetween = false
            length += 1
            if length <= maximumWordLength { result.append(scalar) }
        }
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.value {
            case 0x61...0x7A, 0x30...0x39: add(scalar)
            case 0x41...0x5A: add(Unicode.Scalar(UInt8(scalar.value) | 0x20))
            // Apostrophes of all kinds, and marks of the writing direction.
            case 0x27, 0x60, 0xB4, 0x2018, 0x2019, 0x02B0...0x02FF, 0x200B...0x200F, 0x2060: continue
            case 0..<0x80: isBetween = true
            default: addOther(scalar, add) { isBetween = true }
            }
        }
        return String(result).expandingStreets()
    }

    /// Returns the words of a folded text.
    static func words(_ folded: String) -> [String] { folded.split(separator: " ").map(String.init) }

    private static func addOther(_ scalar: Unicode.Scalar, _ add: (Unicode.Scalar) -> Void, _ part: () -> Void) {
        if let plain = plain[scalar] { return plain.forEach(add) }
        switch scalar.properties.generalCategory {
        // Vowel signs with a base of their own are letters; combining accents are removed.
        case .nonspacingMark, .enclosingMark, .format: return
        case .uppercaseLetter, .titlecaseLetter:
            for small in scalar.properties.lowercaseMapping.unicodeScalars {
                if let plain = plain[small] { plain.forEach(add) } else if !small.properties.isDiacritic { add(small) }
            }
        case .lowercaseLetter, .otherLetter, .modifierLetter, .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            add(scalar)
        default: part()
        }
    }

    /// The table in `folding.txt`: each line has the plain form, a space, and the letters that become it.
    private static let plain: [Unicode.Scalar: [Unicode.Scalar]] = {
        var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for line in String(cString: locationd_letter_folding()).split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            for scalar in parts[1].unicodeScalars { table[scalar] = Array(parts[0].unicodeScalars) }
        }
        return table
    }()
}

extension String {
    /// Returns the text with German abbreviations of "Straße" written out.
    fileprivate func expandingStreets() -> String {
        guard utf8.count > 5, hasAbbreviatedStreet else { return self }
        return split(separator: " ").map { $0.utf8.count > 5 && $0.hasSuffix("str") ? "\($0)asse" : String($0) }
            .joined(separator: " ")
    }

    /// True if a word ends with "str". Each name that is compared is folded, so this reads bytes.
    private var hasAbbreviatedStreet: Bool {
        var end: UInt32 = 0
        func isStreet(_ end: UInt32) -> Bool { end & 0xFF_FFFF == 0x73_7472 }
        for byte in utf8 {
            if byte == UInt8(ascii: " "), isStreet(end) { return true }
            end = end << 8 | UInt32(byte)
        }
        return isStreet(end)
    }
}
