import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement
import PageServing

// The messages to the page and from it. None of it has a coordinate but those of places that the user has given.

/// The user of the page.
struct WireUser: Encodable {
    /// The user's id.
    let id: Int
    /// True if the user may switch location services for the whole machine.
    var isAdministrator: Bool
}

/// The switches of location services.
struct WireServices: Encodable, Hashable {
    let isEnabled: Bool
    let isEnabledForUser: Bool

    init(_ status: LocationServiceManager.Status) {
        (isEnabled, isEnabledForUser) = (status.isEnabled, status.isEnabledForUser)
    }
}

/// A program in the list: what the service reports of a client, and what the page shows besides.
struct WireProgram: Encodable, Hashable {
    private let client: LocationServiceManager.Client
    private let name: String
    /// True if it is given locations now.
    private let isNow: Bool
    /// The address of its icon, relative to the page; `nil` if it has none.
    private let icon: String?

    var id: String { client.client }
    private var isDeclared: Bool { client.file != nil }
    /// True if it was declared, and only decisions about it are left.
    private var isFormer: Bool { !isDeclared && client.displayName == client.client }

    /// The time without a location after which an access has ended, as in the service's history.
    private static let gap = Duration.seconds(60)

    init(_ client: LocationServiceManager.Client, _ application: Application?, at now: Timestamp) {
        self.client = client
        name = application?.name ?? client.displayName
        icon = application?.icon
        isNow = client.isConnected && (client.lastAccess.map { now.duration(since: $0) < Self.gap } ?? false)
    }

    /// The next time at which it changes without an event; `nil` if it does not.
    var nextChange: Timestamp? {
        [client.until, isNow ? client.lastAccess?.advanced(by: Self.gap) : nil].compactMap(\.self).min()
    }

    private enum Keys: String, CodingKey { case id, name, isNow, icon, isDeclared, isFormer }

    func encode(to encoder: any Encoder) throws {
        try client.encode(to: encoder)
        var object = encoder.container(keyedBy: Keys.self)
        try object.encode(id, forKey: .id)
        try object.encode(name, forKey: .name)
        try object.encode(isNow, forKey: .isNow)
        try object.encodeIfPresent(icon, forKey: .icon)
        try object.encode(isDeclared, forKey: .isDeclared)
        try object.encode(isFormer, forKey: .isFormer)
    }
}

/// The whole state.
struct WireState: Encodable {
    let page: String
    let user: WireUser
    let services: WireServices?
    let programs: [WireProgram]
    let prompts: [WirePrompt]
    let rules: WireRules
    let problem: String?
}

/// The rules that limit programs, and the user's places, which they name.
struct WireRules: Encodable, Hashable {
    var rules: [LocationServiceManager.Rule] = []
    var places: [LocationServiceManager.Place] = []
}

/// A change of the user's rules: a new one, or the identifier of one that goes.
struct WireRuleChange: Codable {
    var add: LocationServiceManager.RuleDefinition?
    var remove: String?
}

/// A change of the user's places: a new one at what the user has typed, or the name of one that goes.
struct WirePlaceChange: Codable {
    struct Place: Codable {
        var name: String
        /// A position in any notation, or the name of a place.
        var position: String
        /// The radius in metres.
        var radius: Double
    }

    var add: Place?
    var remove: String?
}

/// A track on which the rules, and one more, are tried.
struct WireTrial: Decodable {
    /// The name of the file.
    var name: String
    /// Its content as text.
    var track: String
    var rule: LocationServiceManager.RuleDefinition?
}

/// The programs that have changed, and the identifiers of the removed ones.
struct WireChanges: Encodable {
    let changed: [WireProgram]
    let removed: [String]
}

/// An answer to a prompt.
struct WireAnswer: Codable {
    let id: Int
    let choice: PromptChoice
}

/// The question for a report.
struct WireReportQuestion: Decodable {
    let report: PageReport
    /// The name of a share to stop first; `nil` for none.
    let stop: String?
}

/// A decision about a program: about its authorization or its accuracy.
struct WireDecision: Decodable {
    let client: String
    let authorization: LocationServiceManager.Decision?
    let accuracy: AccuracyAuthorization?
    /// The time for which it is allowed, in seconds from a minute to a year; `nil` for a decision that lasts.
    let seconds: Int?

    static let seconds = 60...366 * 86_400
}

/// The result of a decision.
struct WireOutcome: Encodable {
    let status: AuthorizationStatus
    let accuracy: AccuracyAuthorization
    let until: Timestamp?
    let limits: [ManagerInterface.Limit]
}

/// A switch of location services.
struct WireSwitch: Codable {
    let isEnabled: Bool
    /// True for those of the machine.
    let isSystem: Bool?
}

/// The question about a program.
struct WireQuestion: Decodable {
    let client: String
}

/// The times at which a program had the location, and the reasons for its access.
struct WireTimeline: Encodable {
    let day: [LocationServiceManager.Access]
    let week: [LocationServiceManager.Access]
    let steps: [ManagerInterface.Step]
}
