import SeededRandom

extension SeededGenerator {
    /// True with this probability.
    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }
}
