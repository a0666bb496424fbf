import LocationModel
import LocationPolicy
import Testing

/// All states that the authorization machine can reach with two concurrent requests, found by trying every event in
/// every state, and the rules for each of them.
@Suite(.timeLimit(.minutes(10))) struct ClientAuthorizationStatesTests {
    /// A state and its last input.
    private struct Node {
        var machine: ClientAuthorization
        var circumstances: Int
    }

    private static let circumstances = ClientAuthorization.Circumstances.withoutRules

    private static let requests: [ClientAuthorization.Request] = [
        .whenInUse, .always, .temporaryFullAccuracy(purposeKey: "radar"),
    ]

    private static let decisions: [ClientAuthorization.Decision] = [
        .allow(.whenInUse), .allow(.always), .deny, .reset, .accuracy(.full), .accuracy(.reduced),
    ]

    @Test("no rule is broken in any reachable state")
    func everyState() {
        // Prompts come an hour apart, so that the prompt budget refuses none.
        var instant = start
        var known: Set<String> = []
        var frontier = Self.circumstances.indices.map {
            Node(
                machine: ClientAuthorization(record: AuthorizationRecord(), circumstances: Self.circumstances[$0]),
                circumstances: $0)
        }
        for node in frontier { known.insert(Self.name(of: node)) }
        while let node = frontier.popLast() {
            for (event, circumstances) in Self.events(in: node) {
                instant += .seconds(3600)
                // Saving may succeed or fail.
                for isSaved in [true, false] {
                    var next = Node(machine: node.machine, circumstances: circumstances)
                    let actions = next.machine.handle(event, at: instant)
                    if let broken = Self.broken(node, event, next, actions) {
                        Issue.record("\(broken): \(event) in \(Self.name(of: node)) gives \(actions)")
                        return
                    }
                    guard let saved = node.machine.recordToSave(by: event) else {
                        if isSaved { Self.add(next, &known, &frontier) }
                        break
                    }
                    if isSaved {
                        #expect(next.machine.handle(.saved(saved), at: instant).isEmpty)
                        Self.add(next, &known, &frontier)
                    } else if saved.grant == .denied {
                        // A denial counts all the same; anything else leaves the machine unchanged.
                        Self.add(next, &known, &frontier)
                    }
                }
            }
        }
        #expect(known.count > 1000, "all of them: \(known.count)")
    }

    private static func add(_ node: Node, _ known: inout Set<String>, _ frontier: inout [Node]) {
        if known.insert(name(of: node)).inserted { frontier.append(node) }
    }

    private static func events(in node: Node) -> [(ClientAuthorization.Event, Int)] {
        let waiting = waiting(in: node.machine)
        var events: [ClientAuthorization.Event] = [.unanswered, .leftUse, .ended, .backgroundDeliveryDue]
        if let id = [1, 2].first(where: { !waiting.contains($0) }) { events += requests.map { .request(id, $0) } }
        events += waiting.map { .withdraw($0) }
        events += Prompt.Choice.allCases.map { .answer($0) }
        events += decisions.map { .decide($0) }
        return events.map { ($0, node.circumstances) }
            + circumstances.indices.map { (.circumstances(circumstances[$0]), $0) }
    }

    /// The rule that a step breaks, if any.
    private static func broken(
        _ before: Node, _ event: ClientAuthorization.Event, _ after: Node, _ actions: [ClientAuthorization.Action]
    ) -> String? {
        let (machine, policy) = (after.machine, circumstances[after.circumstances].declaration.policy)
        let areServicesOn = circumstances[after.circumstances].isEnabledForUser
        var waiting = waiting(in: before.machine)
        if case .request(let id, _) = event { waiting.insert(id) }
        if case .withdraw(let id) = event { waiting.remove(id) }
        for action in actions {
            switch action {
            case .complete(let id), .fail(let id, _):
                if waiting.remove(id) == nil { return "a request is answered that does not wait" }
            case .show(let prompt): if prompt.usageDescription.isEmpty { return "a prompt gives no reason" }
            case .withdrawPrompt: break
            }
        }
        if waiting != Self.waiting(in: machine) { return "a request is lost" }
        if machine.prompt == nil, !waiting.isEmpty { return "a request waits and nobody is asked" }
        if let saved = before.machine.recordToSave(by: event), saved != machine.record {
            return "another record is saved than is in force"
        }
        if machine.record != machine.savedRecord, before.machine.record != machine.record,
            before.machine.recordToSave(by: event) == nil
        {
            return "a decision is not saved"
        }
        if before.machine.record.grant == .denied, machine.record.grant != .denied {
            switch event {
            case .decide(.allow), .decide(.reset): break
            default: return "a denial is undone by nobody"
            }
        }
        for isInUse in [false, true] {
            for need in [ClientPolicy.Level.whenInUse, .always] {
                let evaluation = machine.evaluate(.init(isInUse: isInUse, need: need))
                guard case .permitted(let accuracy) = evaluation.access else { continue }
                if policy.isRestricted || !areServicesOn { return "a location in spite of a policy or a switch" }
                if machine.record.grant == .denied { return "a location in spite of a denial" }
                if accuracy == .full, policy.maximumAccuracy == .reduced { return "too exact a location" }
                if accuracy == .full, machine.record.accuracy == .reduced, !machine.endsWithUse {
                    return "a more exact location than was decided"
                }
                let status = evaluation.authorization.status
                if need == .always, status != .authorizedAlways { return "significant changes without always" }
                if !isInUse, status != .authorizedAlways || evaluation.needsConfirmation {
                    return "a location in the background"
                }
                if !isInUse, policy.maximumAuthorization == .whenInUse { return "more than the policy's maximum" }
            }
        }
        switch event {
        case .leftUse, .ended: if machine.endsWithUse { return "what was granted for the time of use goes on" }
        case .decide(.deny), .decide(.reset): if machine.endsWithUse { return "a temporary grant outlives a denial" }
        default: break
        }
        return nil
    }

    /// The waiting requests, found by reflection.
    private static func waiting(in machine: ClientAuthorization) -> Set<ClientAuthorization.RequestID> {
        var waiting: Set<ClientAuthorization.RequestID> = []
        for child in Mirror(reflecting: machine).children {
            if let asking = child.value as? [ClientAuthorization.RequestID: ClientAuthorization.Request] {
                waiting.formUnion(asking.keys)
            }
            if let queue = child.value as? [(id: ClientAuthorization.RequestID, request: ClientAuthorization.Request)] {
                waiting.formUnion(queue.map(\.id))
            }
        }
        return waiting
    }

    /// The identity of a state: two states with the same name behave alike. It covers everything except the prompt
    /// budget and the circumstances, which have a number.
    private static func name(of node: Node) -> String {
        let parts = Mirror(reflecting: node.machine).children.map { child -> String in
            switch child.label {
            case "budget", "circumstances": return ""
            case "asking":
                let asking = child.value as? [ClientAuthorization.RequestID: ClientAuthorization.Request] ?? [:]
                return asking.sorted { $0.key < $1.key }.map { "\($0)" }.joined()
            default: return "\(child.value)"
            }
        }
        return "\(node.circumstances) " + parts.joined(separator: " ")
    }
}
