import Testing

@testable import LocationConditions

@Suite("State of a condition")
struct ConditionMachineTests {
    /// A machine of a circle of 100 m with a receiver of 5 m, so that the radius of doubt is 12.5 m.
    private func states(
        from state: ConditionState = .unknown, _ fixes: [(seconds: Double, distance: Double)], accuracy: Double = 5
    ) -> [ConditionState] {
        var machine = ConditionMachine(state: state)
        return fixes.compactMap {
            machine.observe(distance: $0.distance, accuracy: accuracy, size: 100, at: UInt32($0.seconds * 10))
        }
    }

    @Test("One certain fix and its neighbour change the state, one fix alone does not")
    func confirmation() {
        #expect(states([(0, -20)]).isEmpty)
        #expect(states([(0, -20), (1, -6)]) == [.satisfied])
        #expect(states([(0, -6), (1, -20)]) == [.satisfied])
        #expect(states(from: .unsatisfied, [(0, -90), (1, 20), (2, -90), (3, 20)]).isEmpty)
        #expect(states([(0, 20), (0.1, 20)]).isEmpty)
    }

    @Test("A fix within its accuracy ends a run of evidence")
    func doubtEndsRun() {
        #expect(states(from: .unsatisfied, [(0, -20), (1, -3), (2, -20), (3, 3), (4, -20)]).isEmpty)
    }

    @Test("Probable evidence counts after two minutes")
    func probable() {
        #expect(states([(0, -7), (60, -7), (119, -7)]).isEmpty)
        #expect(states([(0, -7), (60, -7), (120, -7)]) == [.satisfied])
    }

    @Test("A change is reversed within a minute only after 10 s of evidence")
    func reversal() {
        let passage = [(0.0, -20.0), (1, -20), (5, 20), (6, 20), (14, 20)]
        #expect(states(from: .unsatisfied, passage) == [.satisfied])
        #expect(states(from: .unsatisfied, passage + [(15, 20)]) == [.satisfied, .unsatisfied])
        #expect(states(from: .unsatisfied, [(0, -20), (1, -20), (61, 20), (62, 20)]) == [.satisfied, .unsatisfied])
    }

    @Test("A fix that is less accurate than the condition's radius changes nothing unless it is certain")
    func poorFix() {
        #expect(states(from: .satisfied, [(0, 200), (300, 200), (600, 200)], accuracy: 150).isEmpty)
        #expect(states(from: .satisfied, [(0, 400), (300, 400)], accuracy: 150) == [.unsatisfied])
        #expect(states([(0, -90), (300, -90)], accuracy: 80) == [.satisfied])
        #expect(states([(0, -90), (300, -90)], accuracy: 95).isEmpty)
    }

    @Test("A condition takes 16 bytes at most")
    func size() { #expect(MemoryLayout<ConditionMachine>.stride <= 16) }

    // MARK: Exhaustive exploration

    private struct Input {
        var step: UInt32
        var distance: Double
        var accuracy = 5.0
        var isLoss = false

        /// 0 none, 1 probable, 2 certain: by the contract, not by the code.
        var weight: Int {
            if isLoss { return 0 }
            return abs(distance) > 2.5 * accuracy ? 2 : abs(distance) > accuracy && accuracy <= 100 ? 1 : 0
        }
        var side: ConditionState { distance < 0 ? .satisfied : .unsatisfied }
    }

    private static let alphabet: [Input] =
        [-30.0, -8, -2, 2, 8, 30].flatMap { [Input(step: 10, distance: $0), Input(step: 700, distance: $0)] }
        + [
            Input(step: 10, distance: -90, accuracy: 200), Input(step: 10, distance: 600, accuracy: 200),
            Input(step: 18_000, distance: 0, isLoss: true),
        ]

    @Test(
        "Every sequence of five inputs keeps the promises",
        arguments: [ConditionState.unknown, .satisfied, .unsatisfied])
    func exploration(start: ConditionState) {
        var path: [Input] = []
        var failures: [String] = []
        func explore(_ machine: ConditionMachine, _ time: UInt32) {
            guard path.count < 5, failures.isEmpty else { return }
            for input in Self.alphabet {
                path.append(input)
                defer { path.removeLast() }
                var next = machine
                let now = time + input.step
                let event =
                    input.isLoss
                    ? next.lose()
                    : next.observe(distance: input.distance, accuracy: input.accuracy, size: 100, at: now)
                if let problem = problem(machine.state, event, next.state, path) {
                    failures.append("\(problem) after \(path)")
                    return
                }
                explore(next, now)
            }
        }
        explore(ConditionMachine(state: start), 0)
        #expect(failures.isEmpty)
    }

    /// What is wrong with the last step of `path`, or `nil`.
    private func problem(
        _ before: ConditionState, _ event: ConditionState?, _ after: ConditionState, _ path: [Input]
    ) -> String? {
        guard let input = path.last else { return nil }
        if event != nil, event == before { return "an event without a change" }
        if (event ?? before) != after { return "a state that was not reported" }
        if input.isLoss { return after == .unknown ? nil : "a state after a loss" }
        // The run of evidence of this fix's side, newest first.
        let run = path.reversed().prefix { $0.weight > 0 && $0.side == input.side }
        if let event {
            if event == .unknown { return "unknown after a fix" }
            if event != input.side || run.isEmpty { return "an event without evidence" }
            let lasted = run.dropLast().map(\.step).reduce(0, +)
            if run.count < 2 { return "an event after one fix" }
            if !run.contains(where: { $0.weight == 2 }), lasted < 1200 { return "an event on probable evidence" }
        } else if run.count >= 2, input.weight == 2, input.step >= 700, run.first?.weight == 2, before != input.side {
            return "no event in spite of certain evidence for a minute"
        }
        return nil
    }
}
