/// SipHash-2-4 over 64-bit words, a keyed pseudo-random function: without the key its values look random.
///
/// J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF" (2012). Written out here because it takes forty
/// lines, while a cryptography package would be larger than the rest of the daemon. The standard library's `Hasher`
/// takes no key and gives different values in every process.
struct AccuracyKeyedHash: Hashable, Sendable {
    private let key0: UInt64
    private let key1: UInt64

    init(secret: AccuracyReduction.Secret) {
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        key0 = word(secret.bytes.prefix(8))
        key1 = word(secret.bytes.dropFirst(8))
    }

    /// The hash of the words, each as eight bytes in little-endian order.
    func callAsFunction(_ words: [UInt64]) -> UInt64 {
        var state = State(key0: key0, key1: key1)
        for word in words { state.absorb(word) }
        // The last block holds the trailing bytes that fill no word, of which there are none, and the low byte of the
        // length.
        state.absorb(UInt64(words.count * 8) << 56)
        return state.finish()
    }
}

/// SipHash's internal state of four words.
private struct State {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(key0: UInt64, key1: UInt64) {
        v0 = key0 ^ 0x736f_6d65_7073_6575
        v1 = key1 ^ 0x646f_7261_6e64_6f6d
        v2 = key0 ^ 0x6c79_6765_6e65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ word: UInt64) {
        v3 ^= word
        for _ in 0..<2 { round() }
        v0 ^= word
    }

    mutating func finish() -> UInt64 {
        v2 ^= 0xff
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
        v0 &+= v1
        v1 = v1.rotated(by: 13) ^ v0
        v0 = v0.rotated(by: 32)
        v2 &+= v3
        v3 = v3.rotated(by: 16) ^ v2
        v0 &+= v3
        v3 = v3.rotated(by: 21) ^ v0
        v2 &+= v1
        v1 = v1.rotated(by: 17) ^ v2
        v2 = v2.rotated(by: 32)
    }
}

extension UInt64 {
    fileprivate func rotated(by count: UInt64) -> UInt64 { self << count | self >> (64 - count) }
}
