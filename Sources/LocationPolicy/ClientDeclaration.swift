public import LocationModel

/// What an administrator or a package says of one client: how to recognise it, why it asks, and what it may ever have.
///
/// Read from a property list in a client directory. A program that no declaration matches gets no location: it has no
/// usage description, so nobody could be asked about it.
public struct ClientDeclaration: Hashable, Sendable {
    /// `CFBundleIdentifier`: the name under which decisions and history are kept, such as `org.example.Weather`.
    public var identifier: String
    /// `CFBundleDisplayName`: what prompts call it; the identifier where there is none.
    public var displayName: String
    /// `NSLocationWhenInUseUsageDescription`: why it wants the location while in use.
    public var whenInUseUsageDescription: String?
    /// `NSLocationAlwaysAndWhenInUseUsageDescription`, or the older `NSLocationAlwaysUsageDescription`: why it wants it
    /// at any time.
    public var alwaysUsageDescription: String?
    /// `NSLocationDefaultAccuracyReduced`: it starts with reduced accuracy and asks for more when it needs it.
    public var isReducedAccuracyDefault: Bool
    /// `NSLocationTemporaryUsageDescriptionDictionary`: why it wants full accuracy for once, by purpose key.
    public var temporaryFullAccuracyPurposes: [String: String]
    /// `UIBackgroundModes` contains `location`: it may go on in the background while that is shown to the user.
    public var hasLocationBackgroundMode: Bool
    /// `Match`: how to recognise it.
    public var match: ClientMatch
    /// `Policy`: what it may have, whatever the user says.
    public var policy: ClientPolicy
    /// The file it was read from, named in messages.
    public var file: String

    /// A declaration with nothing but a name and a way to recognise the client.
    public init(identifier: String, match: ClientMatch, file: String) {
        self.identifier = identifier
        self.displayName = identifier
        self.isReducedAccuracyDefault = false
        self.temporaryFullAccuracyPurposes = [:]
        self.hasLocationBackgroundMode = false
        self.match = match
        self.policy = ClientPolicy()
        self.file = file
    }
}

/// What an administrator lets a client have at most, and what it has without anybody being asked.
public struct ClientPolicy: Hashable, Sendable {
    /// One of the two kinds of authorization, the smaller first.
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

        /// True when `lhs` permits less.
        public static func < (lhs: Level, rhs: Level) -> Bool { lhs == .whenInUse && rhs == .always }
    }

    /// `MaximumAuthorization`: the most that anybody may grant.
    public var maximumAuthorization: Level
    /// `PresetAuthorization`: granted without asking, for machines nobody sits at.
    public var presetAuthorization: Level?
    /// `MaximumAccuracy`: the most exact that anybody may grant.
    public var maximumAccuracy: AccuracyAuthorization
    /// `Restricted`: never, and the user cannot change it.
    public var isRestricted: Bool

    /// What a declaration without a `Policy` has: anything may be granted, nothing is.
    public init() {
        maximumAuthorization = .always
        presetAuthorization = nil
        maximumAccuracy = .full
        isRestricted = false
    }
}
