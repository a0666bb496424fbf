import Glibc
import LocationModel
import Testing

@testable import LocationPolicy

/// Every reachable state of authorization × rules × circumstances: all states that the authorization machine reaches with two
/// concurrent requests, to any depth; in each, no rule, each rule and each pair of rules; under each, every combination of the
/// surroundings on which they depend, of use, need, desktop and requested accuracy.
///
/// `make test-states` combines every state with every pair of rules; without it, each pair is combined with every eighth.
@Suite("States of access under rules", .timeLimit(.minutes(10))) struct AccessRuleStatesTests {
    // MARK: Rules and surroundings

    /// The surroundings as four values, each 0, 1 or 2, where 2 is unknown: night or day; battery or mains; inside or outside
    /// of home; locked and left, or used.
    private struct Code: Hashable {
        var values: [Int]

        var surroundings: Surroundings {
            func flag(_ index: Int) -> Bool? { [true, false, nil][values[index]] }
            let time = [LocalTime(.monday, minute: 60), LocalTime(.monday, minute: 700), nil][values[0]]
            let home = [["home": Placement.inside], ["home": .outside], values[1] == 0 ? ["home": .inDoubt] : [:]]
            return Surroundings(
                localTime: time, isOnBattery: flag(1), isSessionLocked: flag(3),
                isAnybodyPresent: flag(3).map { !$0 }, placements: home[values[2]])
        }

        /// All codes that differ in these values only.
        static func all(_ indices: Set<Int>) -> [Code] {
            indices.reduce([Code(values: [2, 2, 2, 2])]) { codes, index in
                codes.flatMap { code in
                    (0...2).map { value in
                        var other = code
                        other.values[index] = value
                        return other
                    }
                }
            }
        }

        func keeping(_ indices: Set<Int>) -> Code {
            Code(values: values.indices.map { indices.contains($0) ? values[$0] : 2 })
        }
    }

    /// A rule, and when it applies: unless one of the surroundings has the value with which it certainly does not.
    private struct Sample {
        var rule: AccessRule
        var unless: [(index: Int, value: Int)]

        var indices: Set<Int> { Set(unless.map(\.index)) }

        func applies(_ code: Code) -> Bool {
            rule.scope.contains("org.example.Weather") && !unless.contains { code.values[$0.index] == $0.value }
        }
    }

    private static func limit(_ change: (inout AccessRule.Limit) -> Void) -> AccessRule.Limit {
        var limit = AccessRule.Limit()
        change(&limit)
        return limit
    }

    private static let samples: [Sample] = {
        let night = AccessCondition.during(WeeklyHours(from: 0, to: 360)!)
        return [
            Sample(rule: AccessRule(.init(.client, 1), when: [night], limit: .denial), unless: [(0, 1)]),
            Sample(
                rule: AccessRule(
                    .init(.machine, 1), when: [.onBattery], limit: limit { $0.maximumAuthorization = .whenInUse }),
                unless: [(1, 1)]),
            Sample(
                rule: AccessRule(
                    .init(.machine, 2), when: [.sessionLocked],
                    limit: limit { ($0.maximumAccuracy, $0.minimumInterval) = (.reduced, .seconds(3600)) }),
                unless: [(3, 1)]),
            Sample(rule: AccessRule(.init(.user, 1), when: [.inside("home")], limit: .denial), unless: [(2, 1)]),
            Sample(
                rule: AccessRule(
                    .init(.user, 2), when: [.outside("home")], limit: limit { $0.maximumAccuracy = .reduced }),
                unless: [(2, 0)]),
            Sample(
                rule: AccessRule(.init(.user, 3), limit: limit { $0.minimumInterval = .seconds(600) }), unless: []),
            Sample(
                rule: AccessRule(
                    .init(.user, 4), when: [.nobodyPresent], limit: limit { $0.maximumAuthorization = .whenInUse }),
                unless: [(3, 1)]),
            Sample(
                rule: AccessRule(
                    .init(.user, 5), when: [night, .inside("home")], scope: .only(["org.example.Weather"]),
                    limit: limit { ($0.maximumAuthorization, $0.minimumInterval) = (.whenInUse, .seconds(60)) }),
                unless: [(0, 1), (2, 1)]),
            Sample(
                rule: AccessRule(
                    .init(.user, 6), scope: .everyone(except: ["org.example.Weather"]), limit: .denial),
                unless: []),
            Sample(
                rule: AccessRule(
                    .init(.user, 7), when: [.onBattery, .inside("home")], scope: .only(["org.example.Radar"]),
                    limit: .denial),
                unless: []),
        ]
    }()

    private static let sets: [[Sample]] =
        [[]] + samples.map { [$0] }
        + samples.indices.flatMap { a in samples.indices.filter { $0 > a }.map { [samples[a], samples[$0]] } }

    private static let isComplete = getenv("LOCATIOND_ALL_STATES") != nil

    /// The sets of rules for the state with this number: all without and with one rule, and its share of the pairs.
    private static func sets(forState number: Int) -> [[Sample]] {
        guard !isComplete else { return sets }
        return sets.indices.filter { sets[$0].count < 2 || $0 % 8 == number % 8 }.map { sets[$0] }
    }

    private static let moments: [AccessCircumstances] = [false, true].flatMap { isInUse in
        [ClientPolicy.Level.whenInUse, .always].flatMap { need in
            [
                AccessCircumstances(isInUse: isInUse, need: need),
                AccessCircumstances(isInUse: isInUse, need: need, desktop: .reduced),
                AccessCircumstances(isInUse: isInUse, need: need, desktop: .off),
                AccessCircumstances(isInUse: isInUse, need: need, requestedAccuracy: .reduced),
            ]
        }
    }

    // MARK: The authorization machine

    private static let circumstances: [ClientAuthorization.Circumstances] =
        ClientAuthorization.Circumstances.withoutRules + [
            // Rules come and go like the other circumstances, and those without conditions decide about prompts.
            .init(declaration: completeDeclaration(), rules: samples.map(\.rule)),
            .init(
                declaration: completeDeclaration(),
                rules: [
                    AccessRule(
                        .init(.user, 1),
                        limit: limit { ($0.maximumAuthorization, $0.maximumAccuracy) = (.whenInUse, .reduced) })
                ]),
            .init(
                declaration: completeDeclaration { $0.policy.rules = [AccessRule(.init(.client, 1), limit: .denial)] }),
            .init(declaration: completeDeclaration(), rules: [AccessRule(.init(.user, 1), limit: .denial)]),
        ]

    private struct Node {
        var machine: ClientAuthorization
        var circumstances: Int
        var waiting: Set<ClientAuthorization.RequestID> = []
    }

    /// The parts of a state on which evaluations depend.
    private struct Key: Hashable {
        var circumstances: Int
        var record: AuthorizationRecord
        var temporary: [String]
        var isBeingAsked: Bool
    }

    @Test("no invariant is broken in any state of authorization, rules and circumstances")
    func everyState() {
        var instant = start
        var (known, keys, transitions, evaluations): (Set<String>, Set<Key>, Int, Int) = ([], [], 0, 0)
        var frontier: [Node] = []
        func add(_ node: Node) {
            guard known.insert(Self.name(of: node)).inserted else { return }
            frontier.append(node)
            guard keys.insert(Self.key(of: node)).inserted else { return }
            if let broken = Self.brokenEvaluation(node, Self.sets(forState: keys.count), &evaluations) {
                Issue.record("\(broken) in \(Self.name(of: node))")
            }
        }
        for index in Self.circumstances.indices {
            add(
                Node(
                    machine: ClientAuthorization(
                        record: AuthorizationRecord(), circumstances: Self.circumstances[index]),
                    circumstances: index))
        }
        while let node = frontier.popLast() {
            for (event, circumstances) in Self.events(in: node) {
                instant += .seconds(3600)
                var next = node
                next.circumstances = circumstances
                let actions = next.machine.handle(event, at: instant)
                transitions += 1
                if let broken = Self.brokenStep(node, event, &next, actions) {
                    Issue.record("\(broken): \(event) in \(Self.name(of: node)) gives \(actions)")
                    return
                }
                if let record = node.machine.recordToSave(by: event) {
                    // Saving fails; a denial counts all the same.
                    if record.grant == .denied { add(next) }
                    _ = next.machine.handle(.saved(record), at: instant)
                }
                add(next)
            }
        }
        print(
            "\(known.count) states of the machine, \(transitions) transitions; \(keys.count) of them differ for access, "
                + "\(Self.sets.count) sets of rules: \(evaluations) states of authorization, rules and circumstances")
        #expect(known.count > 1900)
        #expect(evaluations > (Self.isComplete ? 1_900_000 : 300_000))
    }

    private static func events(in node: Node) -> [(ClientAuthorization.Event, Int)] {
        var events: [ClientAuthorization.Event] = [.unanswered, .leftUse, .ended, .backgroundDeliveryDue]
        if let id = [1, 2].first(where: { !node.waiting.contains($0) }) {
            events += [.request(id, .whenInUse), .request(id, .always)]
            events.append(.request(id, .temporaryFullAccuracy(purposeKey: "radar")))
        }
        events += node.waiting.sorted().map { .withdraw($0) }
        events += Prompt.Choice.allCases.map { .answer($0) }
        events += [
            .decide(.allow(.whenInUse)), .decide(.allow(.always)), .decide(.deny), .decide(.reset),
            .decide(.accuracy(.full)), .decide(.accuracy(.reduced)),
        ]
        return events.map { ($0, node.circumstances) }
            + circumstances.indices.map { (.circumstances(circumstances[$0]), $0) }
    }

    /// The invariant that a step breaks, if any.
    private static func brokenStep(
        _ before: Node, _ event: ClientAuthorization.Event, _ after: inout Node, _ actions: [ClientAuthorization.Action]
    ) -> String? {
        if case .request(let id, _) = event { after.waiting.insert(id) }
        if case .withdraw(let id) = event { after.waiting.remove(id) }
        for action in actions {
            switch action {
            case .complete(let id), .fail(let id, _):
                if after.waiting.remove(id) == nil { return "a request is answered that does not wait" }
            case .show, .withdrawPrompt: break
            }
        }
        if after.machine.prompt == nil, !after.waiting.isEmpty { return "a request waits and nobody is asked" }
        if before.machine.record.grant == .denied, after.machine.record.grant != .denied {
            switch event {
            case .decide(.allow), .decide(.reset): break
            default: return "a denial is undone by nobody"
            }
        }
        if case .circumstances = event, before.machine.record != after.machine.record {
            return "rules or switches change a decision"
        }
        if case .restricted = after.machine.authorization.status, after.machine.prompt != nil {
            return "a prompt whose answer changes nothing"
        }
        return nil
    }

    // MARK: Evaluations

    /// The part of an evaluation that the client is told of.
    private struct Told: Equatable {
        let authorization: Authorization
        let access: Access
        let absence: AbsenceReport
    }

    /// The invariant that an evaluation in this state breaks, if any.
    private static func brokenEvaluation(
        _ node: Node, _ someSets: [[Sample]], _ evaluations: inout Int
    ) -> String? {
        let standing = node.machine.rules
        let policy = circumstances[node.circumstances].declaration.policy
        // The set of all rules is covered by itself.
        let sets = standing.count > 1 ? [[]] : someSets
        for moment in moments {
            var single: [AccessRule.ID: [Code: AccessEvaluation]] = [:]
            var without: AccessEvaluation?
            for set in sets {
                let indices = Set(set.flatMap(\.indices)).union(standing.count > 1 ? [0, 1, 2, 3] : [])
                var told: [Code: Told] = [:]
                for code in Code.all(indices) {
                    var now = moment
                    now.surroundings = code.surroundings
                    let result = node.machine.evaluate(now, rules: standing + set.map(\.rule))
                    evaluations += 1
                    func broken(_ what: String) -> String { "\(what): \(set.map(\.rule.id)), \(code), \(moment)" }

                    let applied = (standing.count > 1 ? samples : set).filter { $0.applies(code) }
                    if let what = brokenAccess(result, node, policy, moment, applied) { return broken(what) }
                    let placeless = code.keeping([0, 1, 3])
                    let view = Told(
                        authorization: result.authorization, access: result.access, absence: result.view.absence)
                    if told[placeless, default: view] != view {
                        return broken("the client is told where the user is")
                    }
                    told[placeless] = view
                    for rule in result.decisiveRules
                    where !standing.contains(where: { $0.id == rule.id })
                        && !applied.contains(where: { $0.rule.id == rule.id })
                    {
                        return broken("a rule is named that does not apply")
                    }
                    switch set.count {
                    case 0: without = result
                    case 1:
                        single[set[0].rule.id, default: [:]][code] = result
                        if let without, !result.isAtMost(without) { return broken("a rule gives something") }
                        if let without, result.access != without.access || result.view.release != without.view.release,
                            result.decisiveRules.isEmpty
                        {
                            return broken("no rule is named")
                        }
                    default:
                        for sample in set {
                            guard let one = single[sample.rule.id]?[code.keeping(sample.indices)] else {
                                return broken("not compared")
                            }
                            if !result.isAtMost(one) { return broken("another rule gives something") }
                        }
                    }
                }
            }
        }
        return nil
    }

    private static func brokenAccess(
        _ result: AccessEvaluation, _ node: Node, _ policy: ClientPolicy, _ moment: AccessCircumstances,
        _ applied: [Sample]
    ) -> String? {
        guard let accuracy = result.view.release else { return nil }
        let machine = node.machine
        let status = result.authorization.status
        if policy.isRestricted || !circumstances[node.circumstances].isEnabledForUser || moment.desktop == .off {
            return "a location in spite of a policy or a switch"
        }
        if machine.record.grant == .denied { return "a location in spite of a denial" }
        if machine.record.grant == nil, !machine.endsWithUse, policy.presetAuthorization == nil {
            return "a location without permission"
        }
        if status != .authorizedAlways, status != .authorizedWhenInUse { return "a location in spite of the status" }
        if moment.need == .always, status != .authorizedAlways { return "significant changes without always" }
        if !moment.isInUse, status != .authorizedAlways || result.needsConfirmation {
            return "a location in the background"
        }
        if accuracy == .full {
            if policy.maximumAccuracy == .reduced || moment.desktop == .reduced { return "beyond a ceiling" }
            if moment.requestedAccuracy == .reduced { return "more than was asked for" }
            if machine.record.accuracy == .reduced, !machine.endsWithUse { return "more exact than was decided" }
        }
        let standing = machine.rules.filter { $0.conditions.isEmpty && $0.scope.contains("org.example.Weather") }
        for limit in applied.map(\.rule.limit) + standing.map(\.limit) {
            if limit.isDenial { return "a location in spite of a rule" }
            if limit.maximumAccuracy == .reduced, accuracy == .full { return "more exact than a rule allows" }
            if limit.maximumAuthorization == .whenInUse, !moment.isInUse || moment.need == .always {
                return "more than a rule allows"
            }
            if let interval = limit.minimumInterval, result.minimumInterval.map({ $0 < interval }) ?? true {
                return "more often than a rule allows"
            }
        }
        return nil
    }

    private static func key(of node: Node) -> Key {
        var record = node.machine.record
        record.hasUsedUpgradePrompt = false
        let temporary = Mirror(reflecting: node.machine).children.compactMap { child in
            child.label == "isAllowedOnce" || child.label == "hasTemporaryFullAccuracy" ? "\(child.value)" : nil
        }
        return Key(
            circumstances: node.circumstances, record: record, temporary: temporary,
            isBeingAsked: node.machine.prompt != nil)
    }

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
        return "\(node.circumstances) \(node.waiting.sorted()) " + parts.joined(separator: " ")
    }
}

extension AccessEvaluation {
    /// True if this permits no more than `other`.
    fileprivate func isAtMost(_ other: AccessEvaluation) -> Bool {
        view.level <= other.view.level && authorization.status.level <= other.authorization.status.level
            && (view.level == 0 || (interval?.value ?? .zero) >= (other.interval?.value ?? .zero))
            && (authorization.accuracy == .reduced || other.authorization.accuracy == .full)
    }
}

extension RecipientView {
    fileprivate var level: Int {
        switch release {
        case .full: 2
        case .reduced: 1
        case nil: 0
        }
    }
}

extension AuthorizationStatus {
    fileprivate var level: Int {
        switch self {
        case .authorizedAlways: 2
        case .authorizedWhenInUse: 1
        case .notDetermined, .restricted, .denied: 0
        }
    }
}
