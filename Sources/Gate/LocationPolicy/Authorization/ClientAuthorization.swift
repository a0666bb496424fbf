public import LocationModel

/// The authorization state machine of one client for one user.
///
/// It has no effects: it takes events and returns actions, which the caller performs. The rules are Core Location's, as
/// far as they are documented:
///
/// | state | `requestWhenInUse` | `requestAlways` |
/// |---|---|---|
/// | not determined | prompt: while using, once, don't allow | the same prompt; *while using* gives provisional always |
/// | when in use | – | one prompt, ever: keep, or change to always |
/// | once | – | – |
/// | provisional always | – | –; the second prompt comes with the first delivery in the background |
/// | denied, restricted, always | – | – |
///
/// Decisions survive other changes: a lower maximum or disabled services hide a decision, and it takes effect again
/// afterwards. Only the user or an administrator can lift a denial.
public struct ClientAuthorization: Sendable {
    /// The decision in force.
    public private(set) var record: AuthorizationRecord
    /// The decision on disk. It differs from `record` while a denial is being saved and after a failure to save it.
    public private(set) var savedRecord: AuthorizationRecord
    /// The open prompt; there is at most one at a time.
    public private(set) var prompt: Prompt?
    /// The reason why no prompt may be opened now; `nil` if one may be. The caller sets it before each event, because it depends
    /// on the user's other prompts.
    public var promptObstacle: Failure?

    private var circumstances: Circumstances {
        didSet { rules = circumstances.clientRules }
    }
    /// All rules that may limit the client.
    public private(set) var rules: [AccessRule]
    /// True after *Allow once*, until the client is no longer in use.
    private var isAllowedOnce = false
    /// True after full accuracy was allowed temporarily, until the client is no longer in use.
    private var hasTemporaryFullAccuracy = false
    /// The requests that the open prompt will answer.
    private var asking: [RequestID: Request] = [:]
    /// Requests that need another prompt: they are handled after the open one.
    private var queue: [(id: RequestID, request: Request)] = []
    private var budget = PromptBudget()

    /// The authorization of a client with this stored record, in these circumstances.
    public init(record: AuthorizationRecord, circumstances: Circumstances) {
        self.record = record
        savedRecord = record
        self.circumstances = circumstances
        rules = circumstances.clientRules
    }
}

// MARK: Events and actions

extension ClientAuthorization {
    /// Identifies a request that waits for an answer. Chosen by the caller; each is used once.
    public typealias RequestID = UInt64

    /// Inputs besides the user's answer.
    public struct Circumstances: Sendable {
        /// The client's declaration.
        public var declaration: ClientDeclaration
        /// True if location services are on for this machine.
        public var isEnabledForMachine: Bool
        /// True if location services are on for the user.
        public var isEnabledForUser: Bool
        /// The rules of the machine and of the user. Those of the client are in its declaration.
        public var rules: [AccessRule]

        /// Circumstances with location services on and no rules unless stated otherwise.
        public init(
            declaration: ClientDeclaration, isEnabledForMachine: Bool = true, isEnabledForUser: Bool = true,
            rules: [AccessRule] = []
        ) {
            self.declaration = declaration
            self.isEnabledForMachine = isEnabledForMachine
            self.isEnabledForUser = isEnabledForUser
            self.rules = rules
        }

        /// The rules in whose scope the client is.
        fileprivate var clientRules: [AccessRule] {
            (declaration.policy.rules + rules).filter { $0.scope.contains(declaration.identifier) }
        }
    }

    /// A client's request.
    public enum Request: Hashable, Sendable {
        /// The location while it is in use.
        case whenInUse
        /// The location at any time.
        case always
        /// Full accuracy while in use, for the purpose with this key.
        case temporaryFullAccuracy(purposeKey: String)
    }

    /// A decision by command of the user or an administrator.
    public enum Decision: Hashable, Sendable {
        /// Allow up to this level, until a time or, if it is `nil`, until another decision.
        case allow(ClientPolicy.Level, until: Timestamp? = nil)
        /// The end of a permission until this time or an earlier one.
        case end(at: Timestamp)
        /// Don't allow.
        case deny
        /// Discard all decisions.
        case reset
        /// Discard the lasting permission of a program that was not given a location for a long time. A denial and reduced
        /// accuracy stay.
        case resetUnused
        /// Limit to this accuracy.
        case accuracy(AccuracyAuthorization)
    }

    /// An event.
    public enum Event: Sendable {
        /// The client made a request.
        case request(RequestID, Request)
        /// The client withdrew a request or disconnected.
        case withdraw(RequestID)
        /// The user answered the open prompt.
        case answer(Prompt.Choice)
        /// The open prompt ended without an answer.
        case unanswered
        /// The client is no longer in use.
        case leftUse
        /// The client's last process has ended.
        case ended
        /// A location is due for the client while it is not in use.
        case backgroundDeliveryDue
        /// The user or an administrator made a decision by command.
        case decide(Decision)
        /// The circumstances have changed.
        case circumstances(Circumstances)
        /// This record is on disk and takes effect now. After a decision, it comes with the decision's own event: see
        /// ``recordToSave(by:)``.
        case saved(AuthorizationRecord)
    }

    /// An action for the caller. Actions are performed in the order returned.
    public enum Action: Hashable, Sendable {
        /// Show the open prompt.
        case show(Prompt)
        /// Remove the open prompt; it needs no answer any more.
        case withdrawPrompt
        /// Answer the request with the current authorization.
        case complete(RequestID)
        /// Answer the request with an error.
        case fail(RequestID, Failure)
    }

    /// The reason why a request ended without an answer from the user.
    public enum Failure: Hashable, Sendable {
        /// The declaration lacks the usage description.
        case missingUsageDescription(key: String)
        /// The prompt ended without an answer.
        case unanswered
        /// The client has asked too often.
        case tooManyPrompts
        /// The user has to answer other prompts first.
        case noRoomForPrompt
        /// The user was asked too often about programs that nobody has declared.
        case tooManyUndeclared
    }
}

// MARK: Evaluation

extension ClientAuthorization {
    /// The authorization of the client, as the client sees it without further limits and without rules that have conditions.
    public var authorization: Authorization { standing.authorization }

    /// The access that is reported to the client at this moment.
    public func access(_ circumstances: AccessCircumstances = .init()) -> Access { evaluate(circumstances).access }

    /// The manner in which a missing location is reported to the client.
    public var absence: AbsenceReport { rules.absence }

    /// True if a rule may make deliveries rarer.
    public var mayBePaced: Bool { rules.contains { $0.limit.minimumInterval != nil } }

    /// Evaluates access under all rules. Deliveries, status, lists and explanations all render the result.
    ///
    /// - Parameter time: The time, after which a decision may have ended; `nil`, the default, for before that.
    public func evaluate(_ now: AccessCircumstances = .init(), at time: Timestamp? = nil) -> AccessEvaluation {
        evaluate(now, rules: rules, at: time)
    }

    /// The evaluation under the rules that always apply. It decides which prompts make sense: an answer outlasts the
    /// surroundings of the moment.
    public var standing: AccessEvaluation { standing(.init()) }

    /// The evaluation in these circumstances, under the rules that always apply.
    public func standing(_ now: AccessCircumstances) -> AccessEvaluation {
        evaluate(now, rules: rules.filter(\.conditions.isEmpty))
    }

    /// Evaluates access under these rules only.
    func evaluate(_ now: AccessCircumstances, rules: [AccessRule], at time: Timestamp? = nil) -> AccessEvaluation {
        let record = time.map { self.record.current(at: $0) } ?? self.record
        return AccessEvaluation(
            AccessState(
                declaration: circumstances.declaration, isEnabledForMachine: circumstances.isEnabledForMachine,
                isEnabledForUser: circumstances.isEnabledForUser, record: record, isAllowedOnce: isAllowedOnce,
                hasTemporaryFullAccuracy: hasTemporaryFullAccuracy, isBeingAsked: prompt != nil),
            now, rules: rules)
    }

    /// True if access depends on use, so that use has to be monitored. A rule can make it depend on use at any time.
    public var dependsOnUse: Bool {
        standing.dependsOnUse || endsWithUse
            || (status == .authorizedAlways && rules.contains { $0.limit.maximumAuthorization == .whenInUse })
    }

    /// True if a temporary grant ends when the client is no longer in use.
    public var endsWithUse: Bool { isAllowedOnce || hasTemporaryFullAccuracy }

    /// True if something ends with the client's last process: a temporary grant, or the prompt to confirm *always*.
    public var endsWithProcess: Bool { endsWithUse || prompt?.kind == .confirmAlways }

    /// True if the user has to confirm *always* before the first delivery in the background.
    public var needsConfirmation: Bool { standing.needsConfirmation }

    /// True if the state holds nothing beyond the record on disk: no unsaved denial, no temporary grant, no open
    /// request, and a full prompt budget.
    public func isDiscardable(at instant: ContinuousClock.Instant) -> Bool {
        savedRecord == record && !endsWithUse && prompt == nil && asking.isEmpty && queue.isEmpty
            && budget.isFull(at: instant)
    }

    /// The limits that always apply.
    private var standingLimits: RuleOutcome {
        RuleOutcome(
            rules.filter(\.conditions.isEmpty), of: circumstances.declaration.identifier, in: Surroundings())
    }
    private var status: AuthorizationStatus { authorization.status }
    private var accuracy: AccuracyAuthorization { authorization.accuracy }
    private var isProvisional: Bool { record.grant == .provisionalAlways }
}

// MARK: Transitions

extension ClientAuthorization {
    /// The record that a decision leads to, if it is not the one on disk; `nil` for other events.
    ///
    /// The caller writes it first, and passes the event, and then ``Event/saved(_:)``, once it is on disk. A denial is passed at
    /// once: it takes effect before it is saved, and also if that fails. It is saved again when it is repeated then.
    public func recordToSave(by event: Event) -> AuthorizationRecord? {
        var record = record
        switch event {
        case .answer(let choice):
            guard let kind = prompt?.kind, kind.choices.contains(choice) else { return nil }
            record.settle(kind, choice)
        case .decide(let decision): record.settle(decision)
        case .request, .withdraw, .unanswered, .leftUse, .ended, .backgroundDeliveryDue, .circumstances, .saved:
            return nil
        }
        return record == savedRecord ? nil : record
    }

    /// Handles an event and returns the actions to perform.
    public mutating func handle(_ event: Event, at instant: ContinuousClock.Instant) -> [Action] {
        switch event {
        case .request(let id, let request):
            return take(request, id, at: instant)
        case .withdraw(let id):
            queue.removeAll { $0.id == id }
            guard asking.removeValue(forKey: id) != nil, asking.isEmpty else { return [] }
            prompt = nil
            return [.withdrawPrompt] + requeue(at: instant)
        case .answer(let choice):
            guard let kind = prompt?.kind, kind.choices.contains(choice) else { return [] }
            settle(kind, choice)
            return endPrompt(at: instant) { .complete($0) }
        case .unanswered:
            guard prompt != nil else { return [] }
            // Fail queued requests as well: the next prompt would most likely go unanswered, too.
            let waiting = queue.map(\.id)
            queue = []
            return endPrompt(at: instant) { .fail($0, .unanswered) } + waiting.map { .fail($0, .unanswered) }
        case .leftUse, .ended:
            isAllowedOnce = false
            hasTemporaryFullAccuracy = false
            guard case .ended = event, prompt?.kind == .confirmAlways else { return [] }
            return [.withdrawPrompt] + endPrompt(at: instant) { .complete($0) }
        case .backgroundDeliveryDue:
            // Without its usage description the confirmation cannot be asked for; the client stays suspended.
            guard status == .authorizedAlways, isProvisional, prompt == nil,
                let usageDescription = circumstances.declaration.alwaysUsageDescription
            else { return [] }
            return ask(.confirmAlways, usageDescription, at: instant) ?? []
        case .decide(let decision):
            decide(decision)
            return withdrawIfMoot(at: instant, force: decision.settlesAuthorization)
        case .circumstances(let circumstances):
            self.circumstances = circumstances
            return withdrawIfMoot(at: instant, force: false)
        case .saved(let saved):
            savedRecord = saved
            record = saved
            return withdrawIfMoot(at: instant, force: false)
        }
    }

    private mutating func take(_ request: Request, _ id: RequestID, at instant: ContinuousClock.Instant) -> [Action] {
        if let failure = missingDescription(for: request) { return [.fail(id, failure)] }
        guard let kind = prompt(for: request) else { return [.complete(id)] }
        if let open = prompt {
            // An open prompt that grants at least as much also answers this request.
            if open.kind == kind || (open.kind == .always && kind == .whenInUse) {
                asking[id] = request
            } else {
                queue.append((id, request))
            }
            return []
        }
        guard let actions = ask(kind, usageDescription(for: request), at: instant) else {
            return [.fail(id, promptObstacle ?? .tooManyPrompts)]
        }
        asking[id] = request
        return actions
    }

    /// The prompt that a request leads to in the current state; `nil` for none.
    private func prompt(for request: Request) -> Prompt.Kind? {
        switch (request, status) {
        case (.whenInUse, .notDetermined): return .whenInUse
        case (.always, .notDetermined): return .always
        case (.always, .authorizedWhenInUse):
            // *Always* is not offered after *once*, not offered again after an answer, and not if the policy rules it out.
            let mayUpgrade =
                !isAllowedOnce && !record.hasUsedUpgradePrompt
                && circumstances.declaration.policy.maximumAuthorization == .always
                && standingLimits.authorization?.value != .whenInUse
            return mayUpgrade ? .upgrade : nil
        case (.temporaryFullAccuracy(let key), .authorizedWhenInUse),
            (.temporaryFullAccuracy(let key), .authorizedAlways):
            let mayBeFull =
                circumstances.declaration.policy.maximumAccuracy == .full && standingLimits.accuracy?.value != .reduced
            return accuracy == .reduced && mayBeFull ? .temporaryFullAccuracy(purposeKey: key) : nil
        default: return nil
        }
    }

    /// Opens a prompt; returns `nil` if there is no room or the client has exhausted its prompt budget.
    private mutating func ask(
        _ kind: Prompt.Kind, _ usageDescription: String, at instant: ContinuousClock.Instant
    ) -> [Action]? {
        guard promptObstacle == nil, budget.take(at: instant) else { return nil }
        let prompt = Prompt(kind: kind, usageDescription: usageDescription)
        self.prompt = prompt
        return [.show(prompt)]
    }

    /// Applies the user's answer to a prompt.
    private mutating func settle(_ kind: Prompt.Kind, _ choice: Prompt.Choice) {
        record.settle(kind, choice)
        switch (kind, choice) {
        case (.temporaryFullAccuracy, .allowOnce): hasTemporaryFullAccuracy = true
        case (.temporaryFullAccuracy, _): break
        case (_, .allowOnce): isAllowedOnce = true
        default: break
        }
    }

    private mutating func decide(_ decision: Decision) {
        record.settle(decision)
        if decision.settlesAuthorization { isAllowedOnce = false }
        if [.accuracy(.reduced), .deny, .reset].contains(decision) { hasTemporaryFullAccuracy = false }
    }

    /// Withdraws the open prompt if its answer would no longer change anything.
    private mutating func withdrawIfMoot(at instant: ContinuousClock.Instant, force: Bool) -> [Action] {
        guard let prompt else { return [] }
        let isMoot =
            switch prompt.kind {
            case .confirmAlways:
                status != .authorizedAlways || !isProvisional
                    || circumstances.declaration.alwaysUsageDescription == nil
            default: asking.values.allSatisfy { self.prompt(for: $0) == nil || missingDescription(for: $0) != nil }
            }
        guard force || isMoot else { return [] }
        return [.withdrawPrompt] + endPrompt(at: instant) { .complete($0) }
    }

    private mutating func endPrompt(
        at instant: ContinuousClock.Instant, answering answer: (RequestID) -> Action
    ) -> [Action] {
        let answered = asking.keys.sorted()
        asking = [:]
        prompt = nil
        return answered.map(answer) + requeue(at: instant)
    }

    /// Handles the queued requests again after a prompt has ended.
    private mutating func requeue(at instant: ContinuousClock.Instant) -> [Action] {
        let waiting = queue
        queue = []
        return waiting.flatMap { take($0.request, $0.id, at: instant) }
    }
}

// MARK: Usage descriptions

extension ClientAuthorization {
    /// The failure for a request whose usage description the declaration lacks.
    private func missingDescription(for request: Request) -> Failure? {
        usageDescriptions(for: request).first { $0.text == nil }.map { .missingUsageDescription(key: $0.key) }
    }

    /// The usage description to show in the prompt for a request.
    private func usageDescription(for request: Request) -> String {
        let descriptions = usageDescriptions(for: request)
        // The first prompt is about use at all, the second about *always*.
        return (status == .notDetermined ? descriptions.last : descriptions.first)?.text ?? ""
    }

    /// The usage descriptions that a request needs.
    private func usageDescriptions(for request: Request) -> [(key: String, text: String?)] {
        let declaration = circumstances.declaration
        let whenInUse = ("NSLocationWhenInUseUsageDescription", declaration.whenInUseUsageDescription)
        return switch request {
        case .whenInUse: [whenInUse]
        case .always: [("NSLocationAlwaysAndWhenInUseUsageDescription", declaration.alwaysUsageDescription), whenInUse]
        case .temporaryFullAccuracy(let key):
            [
                (
                    "NSLocationTemporaryUsageDescriptionDictionary.\(key)",
                    declaration.temporaryFullAccuracyPurposes[key]
                )
            ]
        }
    }
}

extension ClientAuthorization.Decision {
    /// True if the decision is whether the client gets locations, rather than how accurate they are. It withdraws an open
    /// prompt.
    fileprivate var settlesAuthorization: Bool {
        switch self {
        case .allow, .deny, .reset: true
        case .accuracy, .end, .resetUnused: false
        }
    }
}

extension AuthorizationRecord {
    /// Applies the user's answer to a prompt. *Allow once* and temporary full accuracy leave no record.
    fileprivate mutating func settle(_ kind: Prompt.Kind, _ choice: Prompt.Choice) {
        switch (kind, choice) {
        case (.temporaryFullAccuracy, _), (_, .allowOnce), (_, .unknown): break
        case (.always, .allowWhileUsing): (grant, ending) = (.provisionalAlways, nil)
        case (_, .allowWhileUsing): (grant, ending) = (.whenInUse, nil)
        case (_, .dontAllow): (grant, ending) = (.denied, nil)
        case (_, .keepWhileUsing):
            grant = .whenInUse
            hasUsedUpgradePrompt = true
        case (_, .changeToAlways):
            (grant, ending) = (.always, nil)
            hasUsedUpgradePrompt = true
        }
    }

    /// Applies a decision by command.
    fileprivate mutating func settle(_ decision: ClientAuthorization.Decision) {
        switch decision {
        case .allow(let level, let end):
            // The decision before the first of several with an end returns after the last of them.
            ending = end.map { Ending(time: $0, next: ending.map(\.next) ?? grant) }
            grant = level == .always ? .always : .whenInUse
        case .end(let time): self = current(at: time)
        case .deny: (grant, ending) = (.denied, nil)
        case .reset: self = AuthorizationRecord()
        case .resetUnused:
            // Neither a denial nor a decision that ends by itself is a permission without use.
            guard grant != .denied, ending == nil else { return }
            let accuracy = accuracy
            self = AuthorizationRecord()
            self.accuracy = accuracy == .reduced ? .reduced : nil
        case .accuracy(let accuracy): self.accuracy = accuracy
        }
    }
}
