import LocationModel

/// The access of one client at one moment, and the rules that decided it.
///
/// The only place where the rules of access are combined. Deliveries, `status`, `clients` and `explain` all render a
/// value of this type, so they cannot contradict one another.
public struct AccessEvaluation: Hashable, Sendable {
    /// The rules for the status, the strongest first. The first that applies decides.
    public enum StatusRule: Hashable, Sendable {
        /// `Policy.Restricted`.
        case restriction
        /// Location services are off for this machine.
        case servicesOffForMachine
        /// Location services are off for the user.
        case servicesOffForUser
        /// Location services are off in the settings of the user's desktop.
        case servicesOffOnDesktop
        /// A rule that does not depend on a place denies access.
        case rule(AppliedRule)
        /// A lasting decision.
        case decision(AuthorizationRecord.Grant)
        /// *Allow once*, valid until the client is no longer in use.
        case allowedOnce
        /// `Policy.PresetAuthorization`.
        case preset(ClientPolicy.Level)
        /// No rule applies: the user is asked when the client asks.
        case undecided

        /// The position among the rules; 0 is the strongest.
        public var rank: Int {
            switch self {
            case .restriction: 0
            case .servicesOffForMachine: 1
            case .servicesOffForUser: 2
            case .servicesOffOnDesktop: 3
            case .rule: 4
            case .decision: 5
            case .allowedOnce: 6
            case .preset: 7
            case .undecided: 8
            }
        }
    }

    /// The rules for the accuracy, the strongest first. The first that applies decides.
    public enum AccuracyRule: Hashable, Sendable {
        /// `Policy.MaximumAccuracy`.
        case maximum
        /// `MaximumAccuracy` of a rule.
        case rule(AppliedRule)
        /// The settings of the user's desktop.
        case desktop
        /// Full accuracy was allowed while the client is in use.
        case temporaryFullAccuracy
        /// The user's decision.
        case decision
        /// `NSLocationDefaultAccuracyReduced`.
        case reducedByDefault
        /// No rule applies: full accuracy.
        case standard
    }

    /// The rules for use, which apply to an authorized client.
    public enum UseRule: Hashable, Sendable {
        /// Use does not matter; the status alone decides.
        case irrelevant
        /// The client is in use.
        case inUse
        /// The client is not in use.
        case notInUse
        /// The client is not in use, and the user has not confirmed *always* yet.
        case unconfirmed
        /// The delivery needs *always*, and the client is authorized only while in use.
        case needsAlways
    }

    /// The rule that decided the status.
    public let statusRule: StatusRule
    /// `MaximumAuthorization` of the policy or of a rule, where it lowered the status.
    public let ceiling: ClientPolicy.Level?
    /// The rule that set `ceiling`; `nil` if the policy did.
    public let ceilingRule: AppliedRule?
    /// The rule that decided the accuracy.
    public let accuracyRule: AccuracyRule
    /// True if `MaximumAuthorization` keeps a decision for *always* from taking full effect.
    public let isGrantLowered: Bool
    /// True if `MaximumAccuracy` keeps a decision for full accuracy from taking effect.
    public let isAccuracyLowered: Bool
    /// The rule for use that applied.
    public let useRule: UseRule
    /// The resulting authorization, as the client sees it.
    public private(set) var authorization: Authorization
    /// The resulting view of the recipient. One that requests less than its client may have gets less.
    public private(set) var view: RecipientView
    /// The shortest time between two deliveries to the client, with the rule that sets it; `nil` for no limit, and if nothing is
    /// released.
    public private(set) var interval: RuleOutcome.Ceiling<Duration>?
    /// The rule about a place that withholds the location; `nil` unless one does.
    public private(set) var withholdingRule: AppliedRule?
    /// The rule that decided the accuracy without the rules about places.
    public private(set) var visibleAccuracyRule: AccuracyRule

    /// The access that is reported to the client.
    public var access: Access { view.access }

    /// The rules that take something away from this access, without repetitions and the strongest effect first.
    public var decisiveRules: [AppliedRule] {
        var rules: [AppliedRule] = []
        if case .rule(let rule) = statusRule { rules.append(rule) }
        var accuracy: AppliedRule?
        if case .rule(let rule) = accuracyRule { accuracy = rule }
        for case let rule? in [withholdingRule, ceilingRule, accuracy, interval?.rule] where !rules.contains(rule) {
            rules.append(rule)
        }
        return rules
    }

    /// True if access changes with use.
    public var dependsOnUse: Bool {
        authorization.status == .authorizedWhenInUse || needsConfirmation
    }

    /// True if the user has to confirm *always* before the first delivery in the background.
    public var needsConfirmation: Bool {
        authorization.status == .authorizedAlways && statusRule == .decision(.provisionalAlways)
    }
}

/// The properties of a client that the rules use.
struct AccessState {
    let declaration: ClientDeclaration
    let isEnabledForMachine: Bool
    let isEnabledForUser: Bool
    let record: AuthorizationRecord
    let isAllowedOnce: Bool
    let hasTemporaryFullAccuracy: Bool
    /// True while a prompt is open.
    let isBeingAsked: Bool

    fileprivate var policy: ClientPolicy { declaration.policy }
}

extension AccessEvaluation {
    /// The rules for the status, in their order: the first that applies answers with its cause, which has the level that it
    /// grants at most.
    private static func statusRule(
        _ state: AccessState, _ circumstances: AccessCircumstances, _ limits: RuleOutcome
    ) -> StatusRule {
        if state.policy.isRestricted { return .restriction }
        if !state.isEnabledForMachine { return .servicesOffForMachine }
        if !state.isEnabledForUser { return .servicesOffForUser }
        if circumstances.desktop == .off { return .servicesOffOnDesktop }
        if let rule = limits.denial { return .rule(rule) }
        if let grant = state.record.grant { return .decision(grant) }
        if state.isAllowedOnce { return .allowedOnce }
        if let preset = state.policy.presetAuthorization { return .preset(preset) }
        return .undecided
    }

    /// The rules for the accuracy, in their order: the first that applies answers with its cause and the accuracy that it
    /// allows.
    private static func accuracyRule(
        _ state: AccessState, _ circumstances: AccessCircumstances, _ limits: RuleOutcome
    ) -> (AccuracyRule, AccuracyAuthorization) {
        if state.policy.maximumAccuracy == .reduced { return (.maximum, .reduced) }
        if let ceiling = limits.accuracy, ceiling.value == .reduced { return (.rule(ceiling.rule), .reduced) }
        if circumstances.desktop == .reduced { return (.desktop, .reduced) }
        if state.hasTemporaryFullAccuracy { return (.temporaryFullAccuracy, .full) }
        if let decided = state.record.accuracy { return (.decision, decided) }
        if state.declaration.isReducedAccuracyDefault { return (.reducedByDefault, .reduced) }
        return (.standard, .full)
    }

    /// Evaluates the access of a client under rules.
    ///
    /// The authorization and the access that are reported to the client depend on no rule about a place: their changes would reveal
    /// when the user comes and goes, also to a client that gets no locations at that time. Such a rule only limits what is
    /// released.
    init(_ state: AccessState, _ circumstances: AccessCircumstances, rules: [AccessRule]) {
        let client = state.declaration.identifier
        func limits(_ rules: [AccessRule]) -> RuleOutcome {
            rules.isEmpty ? RuleOutcome() : RuleOutcome(rules, of: client, in: circumstances.surroundings)
        }
        guard rules.contains(where: \.dependsOnPlace) else {
            self.init(state, circumstances, limits(rules), .explained)
            return
        }
        let visible = Self(state, circumstances, limits(rules.filter { !$0.dependsOnPlace }), rules.absence)
        let limits = limits(rules)
        guard visible.access.isPermitted else {
            self = visible
            return
        }
        let actual = Self(state, circumstances, limits, rules.absence)
        if actual.access.isPermitted {
            self = actual.told(as: visible, release: actual.view.release)
        } else {
            self = visible.told(as: visible, release: nil, withheldBy: limits.denial ?? actual.ceilingRule)
        }
    }

    private init(
        _ state: AccessState, _ circumstances: AccessCircumstances, _ limits: RuleOutcome, _ absence: AbsenceReport
    ) {
        let policy = state.policy
        let statusRule = Self.statusRule(state, circumstances, limits)
        let level = statusRule.level
        let maximum = min(policy.maximumAuthorization, limits.authorization?.value ?? .always)
        let status = level.map { min($0, maximum).status } ?? statusRule.statusWithoutLevel
        let (accuracyRule, accuracy) = Self.accuracyRule(state, circumstances, limits)
        let delivered = circumstances.requestedAccuracy == .full ? accuracy : .reduced
        let isInUse = circumstances.isInUse

        let (useRule, access): (UseRule, Access) =
            switch status {
            case .notDetermined: (.irrelevant, state.isBeingAsked ? .undecided : .refused)
            case .restricted, .denied: (.irrelevant, .refused)
            case .authorizedWhenInUse where circumstances.need == .always: (.needsAlways, .refused)
            case .authorizedWhenInUse:
                isInUse ? (.inUse, .permitted(delivered)) : (.notInUse, .suspended)
            case .authorizedAlways where statusRule == .decision(.provisionalAlways):
                isInUse ? (.inUse, .permitted(delivered)) : (.unconfirmed, .suspended)
            case .authorizedAlways: (.irrelevant, .permitted(delivered))
            }

        self.statusRule = statusRule
        let ceiling = level.flatMap { $0 > maximum ? maximum : nil }
        self.ceiling = ceiling
        ceilingRule = ceiling.flatMap { $0 < policy.maximumAuthorization ? limits.authorization?.rule : nil }
        self.accuracyRule = accuracyRule
        isGrantLowered = state.record.grant.flatMap { StatusRule.decision($0).level }.map { $0 > maximum } ?? false
        isAccuracyLowered = accuracyRule.isMaximum && state.record.accuracy == .full
        self.useRule = useRule
        authorization = Authorization(status: status, accuracy: accuracy)
        view = RecipientView(access, absence)
        interval = access.isPermitted ? limits.interval : nil
        visibleAccuracyRule = accuracyRule
    }

    /// This evaluation, of which only `visible` is reported to the client.
    ///
    /// - Parameters:
    ///   - release: the accuracy with which the position may be released; `nil` if a rule about a place withholds it.
    ///   - rule: that rule.
    private func told(
        as visible: Self, release: AccuracyAuthorization?, withheldBy rule: AppliedRule? = nil
    ) -> Self {
        var told = self
        told.authorization = visible.authorization
        told.view = visible.view.limited(to: release)
        if release == nil { told.interval = nil }
        told.withholdingRule = rule
        told.visibleAccuracyRule = visible.accuracyRule
        return told
    }
}

extension AccessEvaluation.AccuracyRule {
    /// True if a limit decides.
    fileprivate var isMaximum: Bool {
        switch self {
        case .maximum, .rule: true
        case .desktop, .temporaryFullAccuracy, .decision, .reducedByDefault, .standard: false
        }
    }
}

extension AccessEvaluation.StatusRule {
    /// The level that the rule grants, before `MaximumAuthorization` is applied.
    fileprivate var level: ClientPolicy.Level? {
        switch self {
        case .decision(.whenInUse), .allowedOnce: .whenInUse
        case .decision(.provisionalAlways), .decision(.always): .always
        case .preset(let level): level
        case .restriction, .servicesOffForMachine, .servicesOffForUser, .servicesOffOnDesktop, .rule,
            .decision(.denied), .undecided:
            nil
        }
    }

    fileprivate var statusWithoutLevel: AuthorizationStatus {
        switch self {
        case .restriction: .restricted
        // The user can change their own rules only.
        case .rule(let rule): rule.id.origin == .user ? .denied : .restricted
        case .undecided: .notDetermined
        default: .denied
        }
    }
}
