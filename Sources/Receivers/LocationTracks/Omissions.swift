extension Track {
    /// The parts of a file that were left out because they are unknown, invalid or of no use to a track.
    ///
    /// An unknown or invalid value costs only itself, a position that is missing or invalid its point.
    public struct Omissions: Hashable, Sendable {
        /// The number of parts.
        public private(set) var count = 0
        /// The line of the first one, counted from 1.
        public private(set) var line = 0
        /// The reason for the first one, without its content, which may be a position.
        public private(set) var reason = ""

        mutating func add(line: Int, _ reason: String) {
            count += 1
            if count == 1 { (self.line, self.reason) = (line, reason) }
        }

        /// A phrase such as `5 values or points (first in line 12: …)`; `nil` if nothing was left out.
        public var phrase: String? {
            switch count {
            case 0: nil
            case 1: "1 value or point (in line \(line): \(reason))"
            default: "\(count) values or points (first in line \(line): \(reason))"
            }
        }
    }
}
