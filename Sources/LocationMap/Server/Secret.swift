/// A random value that stands for the right to do something, as 32 hexadecimal digits: 128 bits from the kernel.
struct Secret: Sendable {
    let text: String

    /// A new one.
    init() {
        // The system's generator reads getrandom(2), which is fit for secrets.
        var generator = SystemRandomNumberGenerator()
        text = (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// True if `other` is the same. Takes as long for a wrong one as for a right one.
    func matches(_ other: some StringProtocol) -> Bool {
        let (own, foreign) = (Array(text.utf8), Array(other.utf8))
        guard own.count == foreign.count else { return false }
        return zip(own, foreign).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
