public import LocationModel

/// The authorization of one client for one user: what has been decided, what is being asked, and what follows.
///
/// A state machine without effects: it is told what happened and says what is to be done; the caller does it. The rules
/// are Core Location's, as far as they are documented there:
///
/// | state | `requestWhenInUse` | `requestAlways` |
/// |---|---|---|
/// | not determined | prompt: while using, once, don't allow | the same prompt; *while using* gives provisional always |
/// | when in use | – | one prompt, ever: keep, or change to always |
/// | once | – | – |
/// | provisional always | – | –; the second prompt comes with the first delivery in the background |
/// | denied, restricted, always | – | – |
///
/// What is decided is kept whatever else changes: a ceiling that is lowered or services that are switched off hide a
/// decision, and it comes back with them. A denial becomes anything else only by an act of the user or of an
/// administrator.
public struct ClientAuthorization: Sendable {
    /// The decision in force.
    public private(set) var record: AuthorizationRecord
    /// The decision on disk. It differs while a denial is being saved, or could not be.
    public private(set) var savedRecord: AuthorizationRecord
    /// What is being asked; there is never more than one question open.
    public private(set) var prompt: Prompt?

    private var circumstances: Circumstances
    /// *Allow once* was chosen, and the client has been in use since.
    private var isAllowedOnce = false
    /// Full accuracy was allowed for as long as the client is in use.
    private var hasTemporaryFullAccuracy = false
    /// The requests that the open prompt answers.
    private var asking: [RequestID: Request] = [:]
    /// Requests that came while something else was asked: they are looked at again after that.
    private var queue: [(id: RequestID, request: Request)] = []
    private var budget = PromptBudget()

    /// The authorization of a client with this record on disk, in these circumstances.
    public init(record: AuthorizationRecord, circumstances: Circumstances) {
        self.record = record
        savedRecord = record
        self.circumstances = circumstances
    }
}

// MARK: Events and actions

extension ClientAuthorization {
    /// One request that waits for an answer. The caller makes them up; each is used once.
    public typealias RequestID = UInt64

    /// Inputs besides the user's answer.
    public struct Circumstances: Sendable {
        /// The client's declaration.
        public var declaration: ClientDeclaration
        /// Whether location services are on for this machine.
        public var isEnabledForMachine: Bool
        /// Whether location services are on for the user.
        public var isEnabledForUser: Bool

        /// These circumstances.
        public init(declaration: ClientDeclaration, isEnabledForMachine: Bool = true, isEnabledForUser: Bool = true) {
            self.declaration = declaration
            self.isEnabledForMachine = isEnabledForMachine
            self.isEnabledForUser = isEnabledForUser
        }
    }

    /// What a client can ask for.
    public enum Request: Hashable, Sendable {
        /// The location while it is in use.
        case whenInUse
        /// The location at any time.
        case always
        /// Full accuracy for now, for the purpose with this key.
        case temporaryFullAccuracy(purposeKey: String)
    }

    /// What the user or an administrator decides by command.
    public enum Decision: Hashable, Sendable {
        /// Allow up to this level.
        case allow(ClientPolicy.Level)
        /// Don't allow.
        case deny
        /// Forget what was decided.
        case reset
        /// This accuracy and no finer.
        case accuracy(AccuracyAuthorization)
    }

    /// An event.
    public enum Event: Sendable {
        /// The client asks.
        case request(RequestID, Request)
        /// The one who asked has gone.
        case withdraw(RequestID)
        /// The user answered the open prompt.
        case answer(Prompt.Choice)
        /// Nobody answered the open prompt in time.
        case unanswered
        /// The client is no longer in use.
        case leftUse
        /// The client's last process has ended.
        case ended
        /// A location is due to the client while it is not in use.
        case backgroundDeliveryDue
        /// Somebody decided by command.
        case decide(Decision)
        /// The circumstances have changed.
        case circumstances(Circumstances)
        /// This record is on disk: it is in force from now on.
        case saved(AuthorizationRecord)
    }

    /// An action of the caller, to be performed in the order returned.
    public enum Action: Hashable, Sendable {
        /// Write the record to disk, and report ``Event/saved(_:)`` when it is there.
        case save(AuthorizationRecord)
        /// Show the open prompt.
        case show(Prompt)
        /// Take it away; it needs no answer any more.
        case withdrawPrompt
        /// Answer the request: the authorization is now what it is.
        case complete(RequestID)
        /// Answer the request with an error.
        case fail(RequestID, Failure)
    }

    /// Why a request got no answer from the user.
    public enum Failure: Hashable, Sendable {
        /// The declaration lacks the text that says why.
        case missingUsageDescription(key: String)
        /// Nobody answered in time.
        case unanswered
        /// The client has asked too often.
        case tooManyPrompts
    }
}

// MARK: Evaluation

extension ClientAuthorization {
    /// The authorization of the client, as the client sees it.
    public var authorization: Authorization { evaluate(isInUse: false).authorization }

    /// Whether and how a location may go to the client at this moment.
    public func access(isInUse: Bool) -> Access { evaluate(isInUse: isInUse).access }

    /// The one evaluation of access: delivery, status, lists and explanations all render it.
    ///
    /// - Parameters:
    ///   - isInUse: whether the process that asks is in use.
    ///   - need: what the kind of delivery takes: ``ClientPolicy/Level/always`` for significant changes.
    public func evaluate(isInUse: Bool, need: ClientPolicy.Level = .whenInUse) -> AccessEvaluation {
        AccessEvaluation(
            declaration: circumstances.declaration, isEnabledForMachine: circumstances.isEnabledForMachine,
            isEnabledForUser: circumstances.isEnabledForUser, record: record, isAllowedOnce: isAllowedOnce,
            hasTemporaryFullAccuracy: hasTemporaryFullAccuracy, isBeingAsked: prompt != nil, isInUse: isInUse,
            need: need)
    }

    /// Whether access depends on use, so that use has to be watched.
    public var dependsOnUse: Bool { evaluate(isInUse: false).dependsOnUse || endsWithUse }

    /// Whether something was granted that ends when the client is no longer in use.
    public var endsWithUse: Bool { isAllowedOnce || hasTemporaryFullAccuracy }

    /// Whether a delivery in the background has to be confirmed first.
    public var needsConfirmation: Bool { evaluate(isInUse: false).needsConfirmation }

    /// Whether nothing would be lost by forgetting all but the record on disk: no denial that could not be saved, no temporary
    /// grant, no open request, and a full prompt budget.
    public func isForgettable(at instant: ContinuousClock.Instant) -> Bool {
        savedRecord == record && !endsWithUse && prompt == nil && asking.isEmpty && queue.isEmpty
            && budget.isFull(at: instant)
    }

    private var status: AuthorizationStatus { authorization.status }
    private var accuracy: AccuracyAuthorization { authorization.accuracy }
    private var isProvisional: Bool { record.grant == .provisionalAlways }
}

// MARK: Transitions

extension ClientAuthorization {
    /// Takes in what happened and says what is to be done.
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
            return saving() + endPrompt(at: instant) { .complete($0) }
        case .unanswered:
            guard prompt != nil else { return [] }
            // Whoever queued behind it would be asked about in vain, too.
            let waiting = queue.map(\.id)
            queue = []
            return endPrompt(at: instant) { .fail($0, .unanswered) } + waiting.map { .fail($0, .unanswered) }
        case .leftUse:
            isAllowedOnce = false
            hasTemporaryFullAccuracy = false
            return []
        case .ended:
            isAllowedOnce = false
            hasTemporaryFullAccuracy = false
            guard prompt?.kind == .confirmAlways else { return [] }
            return [.withdrawPrompt] + endPrompt(at: instant) { .complete($0) }
        case .backgroundDeliveryDue:
            // A declaration that has lost the text since cannot be asked about: the client stays suspended.
            guard status == .authorizedAlways, isProvisional, prompt == nil,
                let usageDescription = circumstances.declaration.alwaysUsageDescription
            else { return [] }
            return ask(.confirmAlways, usageDescription, at: instant) ?? []
        case .decide(let decision):
            decide(decision)
            return saving() + withdrawIfMoot(at: instant, force: decision.settlesAuthorization)
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
            // A prompt that grants as much answers this request, too.
            if open.kind == kind || (open.kind == .always && kind == .whenInUse) {
                asking[id] = request
            } else {
                queue.append((id, request))
            }
            return []
        }
        guard let actions = ask(kind, usageDescription(for: request), at: instant) else {
            return [.fail(id, .tooManyPrompts)]
        }
        asking[id] = request
        return actions
    }

    /// The prompt that a request leads to in this state; `nil` when it leads to none.
    private func prompt(for request: Request) -> Prompt.Kind? {
        switch (request, status) {
        case (.whenInUse, .notDetermined): return .whenInUse
        case (.always, .notDetermined): return .always
        case (.always, .authorizedWhenInUse):
            // Not for *once*, not a second time, and not where the policy would not let the answer count.
            let mayUpgrade =
                !isAllowedOnce && !record.hasUsedUpgradePrompt
                && circumstances.declaration.policy.maximumAuthorization == .always
            return mayUpgrade ? .upgrade : nil
        case (.temporaryFullAccuracy(let key), .authorizedWhenInUse),
            (.temporaryFullAccuracy(let key), .authorizedAlways):
            let mayBeFull = circumstances.declaration.policy.maximumAccuracy == .full
            return accuracy == .reduced && mayBeFull ? .temporaryFullAccuracy(purposeKey: key) : nil
        default: return nil
        }
    }

    /// Opens a prompt; `nil` when the client has had too many.
    private mutating func ask(
        _ kind: Prompt.Kind, _ usageDescription: String, at instant: ContinuousClock.Instant
    ) -> [Action]? {
        guard budget.take(at: instant) else { return nil }
        let prompt = Prompt(kind: kind, usageDescription: usageDescription)
        self.prompt = prompt
        return [.show(prompt)]
    }

    /// What an answer to a prompt changes.
    private mutating func settle(_ kind: Prompt.Kind, _ choice: Prompt.Choice) {
        switch (kind, choice) {
        case (.temporaryFullAccuracy, .allowOnce): hasTemporaryFullAccuracy = true
        case (.temporaryFullAccuracy, _): break
        case (.always, .allowWhileUsing): record.grant = .provisionalAlways
        case (_, .allowWhileUsing): record.grant = .whenInUse
        case (_, .allowOnce): isAllowedOnce = true
        case (_, .dontAllow): record.grant = .denied
        case (_, .keepWhileUsing):
            record.grant = .whenInUse
            record.hasUsedUpgradePrompt = true
        case (_, .changeToAlways):
            record.grant = .always
            record.hasUsedUpgradePrompt = true
        }
    }

    private mutating func decide(_ decision: Decision) {
        switch decision {
        case .allow(.whenInUse): record.grant = .whenInUse
        case .allow(.always): record.grant = .always
        case .deny: record.grant = .denied
        case .reset: record = AuthorizationRecord()
        case .accuracy(let accuracy): record.accuracy = accuracy
        }
        if decision.settlesAuthorization { isAllowedOnce = false }
        if [.accuracy(.reduced), .deny, .reset].contains(decision) { hasTemporaryFullAccuracy = false }
    }

    /// A denial that could not be saved is saved when it is repeated: what counts is what the disk has.
    private func saving() -> [Action] {
        record == savedRecord ? [] : [.save(record)]
    }

    /// Takes the prompt away when there is nothing left to ask: somebody decided otherwise, or nobody may.
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

    /// Looks again at what came while something else was asked.
    private mutating func requeue(at instant: ContinuousClock.Instant) -> [Action] {
        let waiting = queue
        queue = []
        return waiting.flatMap { take($0.request, $0.id, at: instant) }
    }
}

// MARK: Usage descriptions

extension ClientAuthorization {
    /// The key whose text a request needs and the declaration lacks.
    private func missingDescription(for request: Request) -> Failure? {
        let declaration = circumstances.declaration
        switch request {
        case .whenInUse where declaration.whenInUseUsageDescription == nil:
            return .missingUsageDescription(key: "NSLocationWhenInUseUsageDescription")
        case .always where declaration.alwaysUsageDescription == nil:
            return .missingUsageDescription(key: "NSLocationAlwaysAndWhenInUseUsageDescription")
        case .always where declaration.whenInUseUsageDescription == nil:
            return .missingUsageDescription(key: "NSLocationWhenInUseUsageDescription")
        case .temporaryFullAccuracy(let key) where declaration.temporaryFullAccuracyPurposes[key] == nil:
            return .missingUsageDescription(key: "NSLocationTemporaryUsageDescriptionDictionary.\(key)")
        default:
            return nil
        }
    }

    /// What the prompt for a request says, in the client's own words.
    private func usageDescription(for request: Request) -> String {
        let declaration = circumstances.declaration
        switch request {
        case .whenInUse: return declaration.whenInUseUsageDescription ?? ""
        // The first question is about using it at all; the second is about always.
        case .always:
            return
                (status == .notDetermined
                ? declaration.whenInUseUsageDescription : declaration.alwaysUsageDescription) ?? ""
        case .temporaryFullAccuracy(let key): return declaration.temporaryFullAccuracyPurposes[key] ?? ""
        }
    }
}

extension ClientAuthorization.Decision {
    /// Whether it says if the client may know, rather than how exactly.
    fileprivate var settlesAuthorization: Bool {
        if case .accuracy = self { false } else { true }
    }
}
