/// Brings names and queries to one form in which they are compared: small letters without accents, words apart by one space.
///
/// Letters with accents become the plain letter, ligatures and ß two letters, digits of other scripts ours; apostrophes go,
/// so that "L'Aquila" is one word; everything else that is no letter, digit or mark parts words. Scripts that write without
/// spaces keep a run of letters as one word.
enum Folding {
    /// Words beyond this are cut: a name has no such words.
    static let maximumWordLength = 64

    /// The form of `text`, and nothing of it beyond `limit` of its scalars.
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
            // Apostrophes of all kinds, and what steers the direction of writing.
            case 0x27, 0x60, 0xB4, 0x2018, 0x2019, 0x02B0...0x02FF, 0x200B...0x200F, 0x2060: continue
            case 0..<0x80: isBetween = true
            default: addOther(scalar, add) { isBetween = true }
            }
        }
        return String(result).expandingStreets()
    }

    /// The words of what has been folded.
    static func words(_ folded: String) -> [String] { folded.split(separator: " ").map(String.init) }

    private static func addOther(_ scalar: Unicode.Scalar, _ add: (Unicode.Scalar) -> Void, _ part: () -> Void) {
        if let plain = plain[scalar] { return plain.forEach(add) }
        switch scalar.properties.generalCategory {
        // Vowel signs are letters where they stand for themselves; accents that stand apart are left out.
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

    /// The table in `folding.txt`: a line has the plain form, a space, and all letters that become it.
    private static let plain: [Unicode.Scalar: [Unicode.Scalar]] = {
        var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for line in String(decoding: PackageResources.folding_txt, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            for scalar in parts[1].unicodeScalars { table[scalar] = Array(parts[0].unicodeScalars) }
        }
        return table
    }()
}

extension String {
    /// Itself with German streets written out.
    fileprivate func expandingStreets() -> String {
        guard utf8.count > 5, let found = firstRange(of: "str") else { return self }
        // Nearly no name gets as far as here.
        guard self[found.lowerBound...].hasSuffix("str") || self[found.lowerBound...].contains("str ") else {
            return self
        }
        return split(separator: " ").map { $0.utf8.count > 5 && $0.hasSuffix("str") ? "\($0)asse" : String($0) }
            .joined(separator: " ")
    }
}
