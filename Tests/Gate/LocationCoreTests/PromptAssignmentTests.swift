import Testing

@testable import LocationCore

@Suite("Assignment of prompts", .timeLimit(.minutes(10))) struct PromptAssignmentTests {
    private let activity = ActivityReport(client: "a", displayName: "A", processID: 7)

    @Test("a prompt is assigned to the first agent, and to another when that one has ended")
    func takesOver() {
        var assignment = PromptAssignment()
        #expect(assignment.register(1) == [])
        #expect(assignment.register(2) == [])
        #expect(assignment.open(10, client: "a") == [.show(10, 1)])
        #expect(assignment.remove(1) == [.show(10, 2)])
        #expect(assignment.close(10) == [.withdraw(10, 2)])
        #expect(assignment.close(10) == [])
    }

    @Test("a prompt that no agent could show is shown by the first one that registers")
    func waits() {
        var assignment = PromptAssignment()
        #expect(assignment.open(10, client: "a") == [])
        #expect(assignment.open(11, client: "b") == [])
        #expect(assignment.register(1) == [.show(10, 1), .show(11, 1)])
    }

    @Test("a program's own terminal shows its prompts only while there is no agent, and no others")
    func fallback() {
        var assignment = PromptAssignment()
        #expect(assignment.register(1, .client("a")) == [])
        #expect(assignment.open(10, client: "a") == [.show(10, 1)])
        #expect(assignment.open(11, client: "b") == [])
        #expect(assignment.register(2) == [.withdraw(10, 1), .show(10, 2), .show(11, 2)])
        #expect(assignment.agentCount == 1)
    }

    @Test("a desktop's own dialog shows the kinds of prompts that it supports, while no agent shows all")
    func desktop() {
        var assignment = PromptAssignment()
        #expect(assignment.register(1, .client("a")) == [])
        #expect(assignment.open(10, client: "a", isOfApplication: true) == [.show(10, 1)])
        #expect(assignment.open(11, client: "b") == [])
        #expect(assignment.register(2, .applications) == [.withdraw(10, 1), .show(10, 2)])
        #expect(assignment.agentCount == 0)
        #expect(assignment.register(3) == [.withdraw(10, 2), .show(10, 3), .show(11, 3)])
        #expect(assignment.remove(3) == [.show(10, 2)])
    }

    @Test("every agent shows the background activities, each change once; a fallback shows none")
    func activities() {
        var assignment = PromptAssignment()
        _ = assignment.register(1)
        _ = assignment.register(2, .client("a"))
        #expect(assignment.setActivities([activity]) == [.showActivities([activity], 1)])
        #expect(assignment.setActivities([activity]) == [])
        #expect(assignment.register(3) == [.showActivities([activity], 3)])
        #expect(assignment.setActivities([]) == [.showActivities([], 1), .showActivities([], 3)])
    }

    @Test("an assignment is empty again when all agents and prompts have ended")
    func empty() {
        var assignment = PromptAssignment()
        _ = assignment.register(1)
        _ = assignment.open(10, client: "a")
        _ = assignment.close(10)
        #expect(!assignment.isEmpty)
        _ = assignment.remove(1)
        #expect(assignment.isEmpty)
    }
}
