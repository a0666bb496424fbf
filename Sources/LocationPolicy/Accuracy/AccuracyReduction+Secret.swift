extension AccuracyReduction {
    /// What places one client's grid. Whoever knows it knows the cells' true borders, so it never leaves the daemon.
    ///
    /// It must outlive the daemon and every reset of the client's authorization: each new one is a new grid, and the
    /// cells of several grids that hold the same place intersect in less than one.
    public struct Secret: Hashable, Sendable, CustomStringConvertible {
        /// How many bytes it has: the key of SipHash.
        public static let byteCount = 16

        /// The bytes, to be kept.
        public let bytes: [UInt8]

        /// A secret that was kept; `nil` when these are not `byteCount` bytes.
        public init?(bytes: [UInt8]) {
            guard bytes.count == Self.byteCount else { return nil }
            self.bytes = bytes
        }

        /// A new secret. Outside of tests the generator is the system's.
        public init(using generator: inout some RandomNumberGenerator) {
            bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        /// Says that there is one and not what it is.
        public var description: String { "<secret>" }
    }
}
