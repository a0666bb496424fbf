import Testing

@testable import Pacing

@Suite("A round-robin queue of users", .timeLimit(.minutes(10)))
struct FairQueueTests {
    private func queue(_ elements: [(String, Int)]) -> FairQueue<String, Int> {
        var queue = FairQueue<String, Int>()
        for (user, element) in elements { queue.append(element, of: user) }
        return queue
    }

    private func all(_ queue: FairQueue<String, Int>) -> [Int] {
        var queue = queue
        return Array(sequence(state: ()) { _ in queue.popFirst() })
    }

    @Test("is first in, first out for one user")
    func oneUser() {
        #expect(all(queue([("a", 1), ("a", 2), ("a", 3)])) == [1, 2, 3])
    }

    @Test("gives a newcomer behind thousands the next turn")
    func turns() {
        let many = queue((0..<5000).map { ("a", $0) } + [("b", -1), ("c", -2), ("b", -3)])
        #expect(Array(all(many).prefix(6)) == [0, -1, -2, 1, -3, 2])
    }

    @Test("puts a returning user at the end of the round")
    func comingBack() {
        var queue = queue([("a", 1), ("b", 2), ("b", 3)])
        #expect(queue.popFirst() == 1)
        queue.append(4, of: "a")
        #expect(all(queue) == [2, 4, 3])
    }

    @Test("an urgent element leaves before the others of its user, and gives the user no further turn")
    func urgency() {
        var queue = queue([("a", 1), ("a", 2), ("b", 3)])
        queue.append(4, of: "a", isUrgent: true)
        queue.append(5, of: "a", isUrgent: true)
        #expect(queue.first == 4)
        #expect(queue.count(of: "a") == 4)
        #expect(all(queue) == [4, 3, 5, 1, 2])
        queue.makeUrgent(of: "a") { $0 == 2 }
        #expect(all(queue) == [4, 3, 5, 2, 1])
    }
}
