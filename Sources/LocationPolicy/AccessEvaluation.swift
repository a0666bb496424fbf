public import LocationModel

/// The access of one client at one moment, and the rules that led to it.
///
/// The one place where the rules of access meet. Deliveries, `status`, `clients` and `explain` all render a value of this
/// type, so none of them can disagree with another.
public struct AccessEvaluation: Hashable, Sendable {
    /// The rules about the status, the strongest first. The first that applies decides.
    public enum StatusRule: Hashable, Sendable {
        /// `Policy.Restricted`.
        case restriction
        /// Location services are off for this machine.
        case servicesOffForMachine
        /// Location services are off for the user.
        case servicesOffForUser
        /// A decision that lasts.
        case decision(AuthorizationRecord.Grant)
        /// *Allow once*, until the client is no longer in use.
        case allowedOnce
        /// `Policy.PresetAuthorization`.
        case preset(ClientPolicy.Level)
        /// None: the user is asked when the client asks.
        case undecided

        /// The position among the rules, from the strongest.
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

    /// The rules about the accuracy, the strongest first. The first that applies decides.
    public enum AccuracyRule: Hashable, Sendable {
        /// `Policy.MaximumAccuracy`.
        case maximum
        /// Full accuracy was allowed for as long as the client is in use.
        case temporaryFullAccuracy
        /// The user's decision.
        case decision
        /// `NSLocationDefaultAccuracyReduced`.
        case reducedByDefault
        /// None: full.
        case standard
    }

    /// The rules about the moment, which apply to a client with an authorization.
    public enum UseRule: Hashable, Sendable {
        /// Use does not matter: the status alone decides.
        case irrelevant
        /// It is in use.
        case inUse
        /// It is not in use.
        case notInUse
        /// It is not in use, and the user has yet to confirm that *always* was meant.
        case unconfirmed
        /// The delivery takes *always*, and the client is authorized for while in use.
        case needsAlways
    }

    /// The rule that decided the status.
    public let statusRule: StatusRule
    /// `Policy.MaximumAuthorization`, where it lowered the status.
    public let ceiling: ClientPolicy.Level?
    /// The rule that decided the accuracy.
    public let accuracyRule: AccuracyRule
    /// Whether `Policy.MaximumAuthorization` keeps a decision for *always* from taking full effect.
    public let isGrantLowered: Bool
    /// Whether `Policy.MaximumAccuracy` keeps a decision for full accuracy from taking effect.
    public let isAccuracyLowered: Bool
    /// The rule about the moment.
    public let useRule: UseRule
    /// The authorization, as the client sees it.
    public let authorization: Authorization
    /// Whether and how a location may go to the client.
    public private(set) var access: Access

    /// Whether access depends on use.
    public var dependsOnUse: Bool {
        authorization.status == .authorizedWhenInUse || needsConfirmation
    }

    /// Whether a delivery in the background has to be confirmed first.
    public var needsConfirmation: Bool {
        authorization.status == .authorizedAlways && statusRule == .decision(.provisionalAlways)
    }
}

extension AccessEvaluation {
    /// The same for a recipient that wants no more than this accuracy, whatever its client may have.
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
    /// The level that the rule grants, before any ceiling.
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
