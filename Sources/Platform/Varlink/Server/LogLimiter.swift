import Pacing
import NIOCore

/// A rate limit for log lines that peers can cause, with a count of the omitted ones. Without it a peer could fill the log
/// to displace earlier lines.
struct LogLimiter {
    static let burst = 100

    private var limit = RateLimit(rate: 10, burst: Self.burst)
    private var omitted = 0

    /// The lines to log in place of `line`: none if it exceeds the limit.
    mutating func lines(for line: String, at now: NIODeadline) -> [String] {
        guard limit.allows(at: now) else {
            omitted += 1
            return []
        }
        defer { omitted = 0 }
        return omitted > 0 ? ["Left out \(omitted) lines about connections like the next.", line] : [line]
    }
}
