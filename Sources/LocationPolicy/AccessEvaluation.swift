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
            case .decision: 4
            case .allowedOnce: 5
            case .preset: 6
            case .undecided: 7
            }
        }
    }

    /// The rules for the accuracy, the strongest first. The first that applies decides.
    public enum AccuracyRule: Hashable, Sendable {
        /// `Policy.MaximumAccuracy`.
        case maximum
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
    /// `Policy.MaximumAuthorization`, where it lowered the status.
    public let ceiling: ClientPolicy.Level?
    /// The rule that decided the accuracy.
    public let accuracyRule: AccuracyRule
    /// True if `Policy.MaximumAuthorization` keeps a decision for *always* from taking full effect.
    public let isGrantLowered: Bool
    /// True if `Policy.MaximumAccuracy` keeps a decision for full accuracy from taking effect.
    public let isAccuracyLowered: Bool
    /// The rule for use that applied.
    public let useRule: UseRule
    /// The resulting authorization, as the client sees it.
    public let authorization: Authorization
    /// The resulting decision about deliveries. A recipient that asks for less than its client may have gets less.
    public let access: Access

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
    private static func statusRule(_ state: AccessState, _ circumstances: AccessCircumstances) -> StatusRule {
        if state.policy.isRestricted { return .restriction }
        if !state.isEnabledForMachine { return .servicesOffForMachine }
        if !state.isEnabledForUser { return .servicesOffForUser }
        if circumstances.desktop == .off { return .servicesOffOnDesktop }
        if let grant = state.record.grant { return .decision(grant) }
        if state.isAllowedOnce { return .allowedOnce }
        if let preset = state.policy.presetAuthorization { return .preset(preset) }
        return .undecided
    }

    /// The rules for the accuracy, in their order: the first that applies answers with its cause and the accuracy that it
    /// allows.
    private static func accuracyRule(
        _ state: AccessState, _ circumstances: AccessCircumstances
    ) -> (AccuracyRule, AccuracyAuthorization) {
        if state.policy.maximumAccuracy == .reduced { return (.maximum, .reduced) }
        if circumstances.desktop == .reduced { return (.desktop, .reduced) }
        if state.hasTemporaryFullAccuracy { return (.temporaryFullAccuracy, .full) }
        if let decided = state.record.accuracy { return (.decision, decided) }
        if state.declaration.isReducedAccuracyDefault { return (.reducedByDefault, .reduced) }
        return (.standard, .full)
    }

    init(_ state: AccessState, _ circumstances: AccessCircumstances) {
        let policy = state.policy
        let statusRule = Self.statusRule(state, circumstances)
        let level = statusRule.level
        let status = level.map { min($0, policy.maximumAuthorization).status } ?? statusRule.statusWithoutLevel
        let (accuracyRule, accuracy) = Self.accuracyRule(state, circumstances)
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
        ceiling = level.flatMap { $0 > policy.maximumAuthorization ? policy.maximumAuthorization : nil }
        self.accuracyRule = accuracyRule
        isGrantLowered =
            state.record.grant.flatMap { StatusRule.decision($0).level }.map { $0 > policy.maximumAuthorization }
            ?? false
        isAccuracyLowered = accuracyRule == .maximum && state.record.accuracy == .full
        self.useRule = useRule
        authorization = Authorization(status: status, accuracy: accuracy)
        self.access = access
    }
}

extension AccessEvaluation.StatusRule {
    /// The level that the rule grants, before `Policy.MaximumAuthorization` is applied.
    fileprivate var level: ClientPolicy.Level? {
        switch self {
        case .decision(.whenInUse), .allowedOnce: .whenInUse
        case .decision(.provisionalAlways), .decision(.always): .always
        case .preset(let level): level
        case .restriction, .servicesOffForMachine, .servicesOffForUser, .servicesOffOnDesktop, .decision(.denied),
            .undecided:
            nil
        }
    }

    fileprivate var statusWithoutLevel: AuthorizationStatus {
        switch self {
        case .restriction: .restricted
        case .undecided: .notDetermined
        default: .denied
        }
    }
}
