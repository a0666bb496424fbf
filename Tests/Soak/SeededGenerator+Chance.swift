import SeededRandom

extension SeededGenerator {
    /// Whether something that is so likely happens.
    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }
}
