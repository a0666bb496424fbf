import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement
import PageServing

// What the page is told, and what it asks. None of it has a coordinate but those of places that the user has given.

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

/// A program in the list.
struct WireProgram: Encodable, Hashable {
    let id: String
    let name: String
    let status: AuthorizationStatus
    let accuracy: AccuracyAuthorization
    let isConnected: Bool
    let isInUse: Bool
    /// True if it is given locations now.
    let isNow: Bool
    let frontEnds: [String]?
    let isProvisional: Bool?
    let isOnce: Bool?
    let until: Timestamp?
    let untilLogout: Bool?
    /// The time at which the service reset its permission for lack of use; `nil` if it did not.
    let resetAt: Timestamp?
    /// What it was allowed until then, which undoes the reset.
    let resetStatus: AuthorizationStatus?
    let lastAccess: Timestamp?
    let conditions: Int?
    let watchesVisits: Bool?
    let recipients: [String]?
    /// True if it is on the quiet list.
    let isQuiet: Bool?
    /// The file that declares it.
    let file: String?
    let maximumStatus: AuthorizationStatus?
    let maximumAccuracy: AccuracyAuthorization?
    let isDeclared: Bool
    /// True if it was declared, and only decisions about it are left.
    let isFormer: Bool
    /// The address of its icon, relative to the page; `nil` if it has none.
    let icon: String?

    /// The time without a location after which an access has ended, as in the service's history.
    static let gap = Duration.seconds(60)

    init(_ client: LocationServiceManager.Client, _ application: Application?, at now: Timestamp) {
        id = client.client
        name = application?.name ?? client.displayName
        icon = application?.icon
        (status, accuracy) = (client.status, client.accuracy)
        (isConnected, isInUse, frontEnds) = (client.isConnected, client.isInUse, client.frontEnds)
        (isProvisional, isOnce, until) = (client.isProvisional, client.isOnce, client.until)
        (untilLogout, lastAccess) = (client.untilLogout, client.lastAccess)
        (resetAt, resetStatus) = (client.resetAt, client.resetStatus)
        isNow = client.isConnected && (client.lastAccess.map { now.duration(since: $0) < Self.gap } ?? false)
        (conditions, watchesVisits, recipients) = (client.conditions, client.watchesVisits, client.recipients)
        (file, isQuiet) = (client.file, client.isQuiet)
        (maximumStatus, maximumAccuracy) = (client.maximumStatus, client.maximumAccuracy)
        isDeclared = client.file != nil
        isFormer = client.file == nil && client.displayName == client.client
    }

    /// The next time at which it changes without an event; `nil` if it does not.
    var nextChange: Timestamp? {
        [until, isNow ? lastAccess?.advanced(by: Self.gap) : nil].compactMap(\.self).min()
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

/// The programs that have changed, and the identifiers of those that are gone.
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

/// When a program had the location, and why it gets what it gets.
struct WireTimeline: Encodable {
    let day: [LocationServiceManager.Access]
    let week: [LocationServiceManager.Access]
    let steps: [ManagerInterface.Step]
}
