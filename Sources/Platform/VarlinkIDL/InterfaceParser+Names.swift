/// The syntax of names.
extension InterfaceParser {
    static func isMemberName(_ word: String) -> Bool {
        guard let first = word.utf8.first, isUpper(first) else { return false }
        return word.utf8.allSatisfy(isAlphanumeric)
    }

    /// Letters and digits, with single `_` between them.
    static func isFieldName(_ word: String) -> Bool {
        guard let first = word.utf8.first, isLetter(first) else { return false }
        return word.split(separator: "_", omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isAlphanumeric) }
    }

    /// At least two parts joined by dots, the first beginning with a letter, dashes only inside a part.
    static func isInterfaceName(_ word: String) -> Bool {
        guard let first = word.utf8.first, isLetter(first) else { return false }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                guard let first = part.utf8.first, let last = part.utf8.last else { return false }
                return isAlphanumeric(first) && isAlphanumeric(last)
                    && part.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isUpper(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
