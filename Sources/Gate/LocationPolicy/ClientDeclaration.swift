public import LocationModel

/// An administrator's or package's declaration of one client: its identity, its usage descriptions and its limits.
///
/// Read from a property list in a client directory. A program without a declaration gets no location, because without a
/// usage description the user cannot be asked.
public struct ClientDeclaration: Hashable, Sendable {
    /// `CFBundleIdentifier`: the key of decisions and history, such as `org.example.Weather`.
    public var identifier: String
    /// `CFBundleDisplayName`: the name in prompts; defaults to the identifier.
    public var displayName: String
    /// `NSLocationWhenInUseUsageDescription`: the reason for using the location while in use.
    public var whenInUseUsageDescription: String?
    /// `NSLocationAlwaysAndWhenInUseUsageDescription`, or the older `NSLocationAlwaysUsageDescription`: the reason for
    /// using the location at any time.
    public var alwaysUsageDescription: String?
    /// `NSLocationDefaultAccuracyReduced`: the client starts with reduced accuracy and asks for full accuracy when
    /// needed.
    public var isReducedAccuracyDefault = false
    /// `NSLocationTemporaryUsageDescriptionDictionary`: the reasons for temporary full accuracy, by purpose key.
    public var temporaryFullAccuracyPurposes: [String: String] = [:]
    /// `Recipients`: those to whom the client passes the location on, as its vendor or administrator states. None by default,
    /// which makes no statement.
    public var recipients: [String] = []
    /// `UIBackgroundModes` contains `location`: the client may continue in the background while the user is shown that.
    public var hasLocationBackgroundMode = false
    /// `Match`: the criteria that identify the client.
    public var match: ClientMatch
    /// `Policy`: limits that the user cannot lift.
    public var policy = ClientPolicy()
    /// `Launch`: the unit to start when an event is due and the client is not connected.
    public var launch: LaunchUnit?
    /// The path of the property list, for messages.
    public var file: String

    /// True for the stand-in of an undeclared program.
    public var isStandIn: Bool { file.isEmpty }

    /// A declaration with an identifier and a match only.
    public init(identifier: String, match: ClientMatch, file: String) {
        self.identifier = identifier
        self.displayName = identifier
        self.match = match
        self.file = file
    }
}

/// A unit that runs a client.
public enum LaunchUnit: Hashable, Sendable {
    /// `SystemdUnit`: a unit of the system's service manager, the one that `Match` requires of the client's programs. So only a
    /// program that runs in the unit can bring about that it is started.
    case system(String)
    /// `UserUnit`: a unit of the user's own service manager, started by the user's agent.
    case user(String)
}

/// An administrator's limits for a client, and its authorization without a prompt.
public struct ClientPolicy: Hashable, Sendable {
    /// A level of authorization, the smaller first.
    public enum Level: String, Hashable, Sendable, Comparable, CaseIterable {
        /// Only while the client is in use.
        case whenInUse
        /// At any time.
        case always

        /// The status of a client that is authorized at this level.
        public var status: AuthorizationStatus {
            switch self {
            case .whenInUse: .authorizedWhenInUse
            case .always: .authorizedAlways
            }
        }

        /// True when `lhs` permits less than `rhs`.
        public static func < (lhs: Level, rhs: Level) -> Bool { lhs == .whenInUse && rhs == .always }
    }

    /// `MaximumAuthorization`: the highest level that can be granted.
    public var maximumAuthorization = Level.always
    /// `PresetAuthorization`: the level granted without a prompt, for unattended machines.
    public var presetAuthorization: Level?
    /// `MaximumAccuracy`: the highest accuracy that can be granted.
    public var maximumAccuracy = AccuracyAuthorization.full
    /// `Restricted`: access is forbidden, and the user cannot change that.
    public var isRestricted = false
    /// `Rules`: limits under conditions, of ``AccessRule/Origin/client``.
    public var rules: [AccessRule] = []

    /// The policy of a declaration without `Policy`: no limits, and nothing granted in advance.
    public init() {}
}
