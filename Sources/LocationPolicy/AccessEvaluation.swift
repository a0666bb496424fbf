public import LocationModel

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
            case .decision: 3
            case .allowedOnce: 4
            case .preset: 5
            case .undecided: 6
            }
        }
    }

    /// The rules for the accuracy, the strongest first. The first that applies decides.
    public enum AccuracyRule: Hashable, Sendable {
        /// `Policy.MaximumAccuracy`.
        case maximum
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
    /// The resulting decision about deliveries.
    public private(set) var access: Access

    /// True if access changes with use.
    public var dependsOnUse: Bool {
        authorization.status == .authorizedWhenInUse || needsConfirmation
    }

    /// True if the user has to confirm *always* before the first delivery in the background.
    public var needsConfirmation: Bool {
        authorization.status == .authorizedAlways && statusRule == .decision(.provisionalAlways)
    }
}

extension AccessEvaluation {
    /// This evaluation for a recipient that wants no more than this accuracy, even if its client may have more.
    public func limited(to wish: AccuracyAuthorization) -> AccessEvaluation {
        guard wish == .reduced, case .permitted = access else { return self }
        var limited = self
        limited.access = .permitted(.reduced)
        return limited
    }

    init(
        declaration: ClientDeclaration, isEnabledForMachine: Bool, isEnabledForUser: Bool, record: AuthorizationRecord,
        isAllowedOnce: Bool, hasTemporaryFullAccuracy: Bool, isBeingAsked: Bool, isInUse: Bool, need: ClientPolicy.Level
    ) {
        let policy = declaration.policy
        let statusRule: StatusRule =
            if policy.isRestricted {
                .restriction
            } else if !isEnabledForMachine {
                .servicesOffForMachine
            } else if !isEnabledForUser {
                .servicesOffForUser
            } else if let grant = record.grant {
                .decision(grant)
            } else if isAllowedOnce {
                .allowedOnce
            } else if let preset = policy.presetAuthorization {
                .preset(preset)
            } else {
                .undecided
            }
        let level = statusRule.level
        let status = level.map { min($0, policy.maximumAuthorization).status } ?? statusRule.statusWithoutLevel

        let (accuracyRule, accuracy): (AccuracyRule, AccuracyAuthorization) =
            if policy.maximumAccuracy == .reduced {
                (.maximum, .reduced)
            } else if hasTemporaryFullAccuracy {
                (.temporaryFullAccuracy, .full)
            } else if let decided = record.accuracy {
                (.decision, decided)
            } else if declaration.isReducedAccuracyDefault {
                (.reducedByDefault, .reduced)
            } else {
                (.standard, .full)
            }

        let (useRule, access): (UseRule, Access) =
            switch status {
            case .notDetermined: (.irrelevant, isBeingAsked ? .undecided : .refused)
            case .restricted, .denied: (.irrelevant, .refused)
            case .authorizedWhenInUse where need == .always: (.needsAlways, .refused)
            case .authorizedWhenInUse:
                isInUse ? (.inUse, .permitted(accuracy)) : (.notInUse, .suspended)
            case .authorizedAlways where statusRule == .decision(.provisionalAlways):
                isInUse ? (.inUse, .permitted(accuracy)) : (.unconfirmed, .suspended)
            case .authorizedAlways: (.irrelevant, .permitted(accuracy))
            }

        self.statusRule = statusRule
        ceiling = level.flatMap { $0 > policy.maximumAuthorization ? policy.maximumAuthorization : nil }
        self.accuracyRule = accuracyRule
        isGrantLowered =
            record.grant.flatMap { StatusRule.decision($0).level }.map { $0 > policy.maximumAuthorization } ?? false
        isAccuracyLowered = accuracyRule == .maximum && record.accuracy == .full
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
        case .restriction, .servicesOffForMachine, .servicesOffForUser, .decision(.denied), .undecided: nil
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
