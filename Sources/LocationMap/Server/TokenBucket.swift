/// Limits a rate: so many at once, and so many a second in the long run.
struct TokenBucket {
    private let capacity: Double
    private let perSecond: Double
    private var tokens: Double
    private var last: ContinuousClock.Instant?

    /// A full bucket.
    init(capacity: Double, perSecond: Double) {
        self.capacity = capacity
        self.perSecond = perSecond
        tokens = capacity
    }

    /// Takes one. False when there is none now.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        if let last { tokens = min(capacity, tokens + (now - last) / .seconds(1) * perSecond) }
        last = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
