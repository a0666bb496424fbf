/// A rate limit on a client's prompts: a burst of five, then one a minute.
///
/// An answered prompt settles the matter, but a client that asks and withdraws again and again could wear the user
/// down.
struct PromptBudget: Sendable {
    /// The number of prompts that a full budget allows at once.
    static let burst = 5
    /// The time after which one more prompt is allowed.
    static let refill = Duration.seconds(60)

    private var spent = 0
    private var lastRefill: ContinuousClock.Instant?

    /// True if the budget is full, so that it can be discarded without loss.
    func isFull(at instant: ContinuousClock.Instant) -> Bool {
        lastRefill.map { spent <= Int((instant - $0) / Self.refill) } ?? true
    }

    /// Takes one prompt from the budget; returns false when none is left.
    mutating func take(at instant: ContinuousClock.Instant) -> Bool {
        if let lastRefill {
            let refilled = min(spent, Int((instant - lastRefill) / Self.refill))
            spent -= refilled
            self.lastRefill = spent == 0 ? instant : lastRefill + Self.refill * refilled
        } else {
            lastRefill = instant
        }
        guard spent < Self.burst else { return false }
        spent += 1
        return true
    }
}
