/// A rate limit on a client's prompts: a burst of five, then one a minute.
///
/// An answered prompt settles the matter, but a client that asks and withdraws again and again could wear the user
/// down.
public struct PromptBudget: Sendable {
    /// The number of prompts that a full budget allows at once.
    static let burst = 5
    /// The time after which one more prompt is allowed.
    static let refill = Duration.seconds(60)

    private var spent = 0
    private var lastRefill: ContinuousClock.Instant?

    /// A full budget.
    public init() {}

    /// True if the budget is full, so that it can be discarded without loss.
    public func isFull(at instant: ContinuousClock.Instant) -> Bool {
        lastRefill.map { spent <= Int((instant - $0) / Self.refill) } ?? true
    }

    /// True if a prompt is left.
    public func hasPrompt(at instant: ContinuousClock.Instant) -> Bool {
        var copy = self
        return copy.take(at: instant)
    }

    /// Takes one prompt from the budget; returns false when none is left.
    @discardableResult
    public mutating func take(at instant: ContinuousClock.Instant) -> Bool {
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
