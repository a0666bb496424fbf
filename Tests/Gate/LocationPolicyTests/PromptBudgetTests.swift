import Testing

@testable import LocationPolicy

@Suite("The budget of prompts", .timeLimit(.minutes(10)))
struct PromptBudgetTests {
    private let start = ContinuousClock.now

    /// True if one more prompt is allowed so many seconds after the start.
    private func take(_ budget: inout PromptBudget, at seconds: Int) -> Bool {
        budget.take(at: start + .seconds(seconds))
    }

    @Test("an empty budget allows one prompt a minute from the start, whenever it is asked")
    func refill() {
        var budget = PromptBudget()
        for _ in 0..<PromptBudget.burst { #expect(take(&budget, at: 0)) }
        #expect(!take(&budget, at: 0))
        #expect(!take(&budget, at: 59))
        #expect(take(&budget, at: 90))
        #expect(!take(&budget, at: 119))
        #expect(take(&budget, at: 120), "the half minute before is not lost")
        #expect(!take(&budget, at: 120))
    }

    @Test("a budget is full again after a minute for each prompt, and never fuller")
    func full() {
        var budget = PromptBudget()
        #expect(budget.isFull(at: start))
        for _ in 0..<3 { #expect(take(&budget, at: 0)) }
        #expect(!budget.isFull(at: start + .seconds(179)))
        #expect(budget.isFull(at: start + .seconds(180)))
        for _ in 0..<PromptBudget.burst { #expect(take(&budget, at: 100_000)) }
        #expect(!take(&budget, at: 100_000))
    }
}
