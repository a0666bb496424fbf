import NIOCore

/// Keeps a gpsd that reports without end, or somebody at its port, from keeping the daemon from everything else: each
/// location goes to everybody who waits for it.
///
/// The fastest receivers report a few dozen times a second. What a gpsd that was held up has saved up passes at once.
struct FloodGate {
    /// A second, in the long run.
    static let rate = 100
    /// At once.
    static let burst = 200
    private static let interval = TimeAmount.nanoseconds(1_000_000_000 / Int64(rate))

    /// When as many had come as may have by now.
    private var due = NIODeadline.uptimeNanoseconds(0)

    /// Whether one more may pass.
    mutating func passes(at now: NIODeadline) -> Bool {
        let next = max(due, now) + Self.interval
        guard next - now <= Self.interval * Self.burst else { return false }
        due = next
        return true
    }
}
