import Glibc

/// The same random numbers for the same seed, everywhere: SplitMix64 (G. Steele et al., "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Evenly distributed.
    public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + Double(next() >> 11) * 0x1p-53 * (range.upperBound - range.lowerBound)
    }

    /// Normally distributed with mean 0 and standard deviation 1 (Box and Muller).
    public mutating func normal() -> Double {
        let radius = (-2 * log(1 - uniform(0...1) * (1 - 0x1p-53))).squareRoot()
        return radius * cos(2 * .pi * uniform(0...1))
    }

    /// Normally distributed to the east and to the north, each with standard deviation 1.
    public mutating func normalVector() -> SIMD2<Double> { SIMD2(normal(), normal()) }

    /// Exponentially distributed with this mean.
    public mutating func exponential(mean: Double) -> Double { -mean * log(1 - uniform(0...1) * (1 - 0x1p-53)) }
}
