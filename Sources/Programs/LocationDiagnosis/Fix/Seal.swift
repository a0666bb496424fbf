/// The last line of a file that doctor writes: the checksum of the lines before it, as `cksum` of POSIX prints it. It tells
/// a file that may be removed from one that somebody has changed since. The package's `postrm` verifies it, too.
enum Seal {
    /// The text with its seal as a last line, which `comment` makes a comment.
    static func sealed(_ text: String, _ comment: (String) -> String) -> String {
        text + comment("Unchanged since then if this is right: cksum \(checksum(text.utf8))") + "\n"
    }

    /// True if the text has a seal and was not changed since.
    static func isIntact(_ text: String) -> Bool {
        guard let end = text.utf8.dropLast().lastIndex(of: UInt8(ascii: "\n")) else { return false }
        let words = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
        guard let word = words.firstIndex(of: "cksum"), word + 1 < words.endIndex else { return false }
        return UInt32(words[word + 1]) == checksum(text.utf8[...end])
    }

    /// The CRC of `cksum` in POSIX: of the bytes and then of their number, the lowest byte first and without leading zeros.
    static func checksum(_ bytes: some Collection<UInt8>) -> UInt32 {
        var remainder: UInt32 = 0
        func add(_ byte: UInt8) {
            remainder ^= UInt32(byte) << 24
            for _ in 0..<8 { remainder = remainder << 1 ^ (remainder >> 31 == 1 ? 0x04C1_1DB7 : 0) }
        }
        for byte in bytes { add(byte) }
        var count = bytes.count
        while count > 0 {
            add(UInt8(truncatingIfNeeded: count))
            count >>= 8
        }
        return ~remainder
    }
}
