/// A random value that grants access to its holder: 128 bits from the kernel, as 32 hexadecimal digits.
package struct Secret: Sendable {
    package let text: String

    /// Creates a new value.
    package init() {
        // The system's generator reads getrandom(2), which is suitable for secrets.
        var generator = SystemRandomNumberGenerator()
        text = (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// True if `other` has the same value. The comparison takes constant time.
    package func matches(_ other: some StringProtocol) -> Bool {
        let (own, foreign) = (Array(text.utf8), Array(other.utf8))
        guard own.count == foreign.count else { return false }
        return zip(own, foreign).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
