/// How often a client may have the user asked: a few times at once, then once a minute.
///
/// A prompt that the user answers settles the matter. But a client that asks and goes away, again and again, could wear
/// a user down to any answer.
struct PromptBudget: Sendable {
    /// How many prompts it may open at once.
    static let burst = 5
    /// After what time one more is allowed.
    static let refill = Duration.seconds(60)

    private var spent = 0
    private var lastRefill: ContinuousClock.Instant?

    /// Whether as many prompts as ever may be opened at once, so that nothing is lost by forgetting this budget.
    func isFull(at instant: ContinuousClock.Instant) -> Bool {
        lastRefill.map { spent <= Int((instant - $0) / Self.refill) } ?? true
    }

    /// Takes one prompt from the budget; false when there is none left.
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
