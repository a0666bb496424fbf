import Glibc

extension SeededGenerator {
    /// A uniformly distributed number.
    public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + Double(next() >> 11) * 0x1p-53 * (range.upperBound - range.lowerBound)
    }

    /// A normally distributed number with mean 0 and standard deviation 1 (Box and Muller).
    public mutating func normal() -> Double {
        let radius = (-2 * log(1 - uniform(0...1) * (1 - 0x1p-53))).squareRoot()
        return radius * cos(2 * .pi * uniform(0...1))
    }

    /// A vector with normally distributed components, each with standard deviation 1.
    public mutating func normalVector() -> SIMD2<Double> { SIMD2(normal(), normal()) }

    /// An exponentially distributed number with this mean.
    public mutating func exponential(mean: Double) -> Double { -mean * log(1 - uniform(0...1) * (1 - 0x1p-53)) }
}
