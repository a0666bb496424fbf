package import NIOCore

/// A token bucket: allows bursts of events, and in the long run a fixed rate (the generic cell rate algorithm of ITU-T
/// I.371, annex A).
package struct RateLimit {
    /// The number of events a second in the long run.
    package let rate: Int
    /// The number of events at once.
    package let burst: Int

    /// The time at which the bucket will be full again.
    private var fullAt = NIODeadline.uptimeNanoseconds(0)

    /// A full bucket.
    package init(rate: Int, burst: Int) {
        self.rate = rate
        self.burst = burst
    }

    /// Counts an event; returns false if it exceeds the limit.
    package mutating func allows(at now: NIODeadline) -> Bool {
        let interval = TimeAmount.nanoseconds(1_000_000_000 / Int64(rate))
        let next = max(fullAt, now) + interval
        guard next - now <= interval * burst else { return false }
        fullAt = next
        return true
    }
}
