extension AccuracyReduction {
    /// The random key that places a client's grid. It reveals the true borders of the cells, so it never leaves the
    /// daemon.
    ///
    /// It must survive restarts of the daemon and every reset of the client's authorization. Each new secret makes a
    /// new grid, and the intersection of a place's cells in several grids is smaller than one cell.
    public struct Secret: Hashable, Sendable, CustomStringConvertible {
        /// The number of bytes: the length of a SipHash key.
        public static let byteCount = 16

        /// The bytes, for storage.
        public let bytes: [UInt8]

        /// A stored secret; `nil` unless `bytes` has `byteCount` elements.
        public init?(bytes: [UInt8]) {
            guard bytes.count == Self.byteCount else { return nil }
            self.bytes = bytes
        }

        /// A new random secret. Only tests use another generator than the system's.
        public init(using generator: inout some RandomNumberGenerator) {
            bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        /// A placeholder without the secret's value, so that it cannot be logged.
        public var description: String { "<secret>" }
    }
}
