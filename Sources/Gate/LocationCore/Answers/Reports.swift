package import LocationConfiguration
package import LocationModel
package import LocationPolicy
package import LocationSources
package import LocationStore

// Answers of the core to front ends, which encode them for their peers.

/// The authorization of a client, as reported to it.
package struct AuthorizationReport: Hashable, Sendable {
    /// The client's identifier.
    package let client: String
    package let authorization: Authorization
    /// The reason why it has no location or a reduced one; `nil` if it has what it may ask for.
    package let cause: LocationCause?
}

/// A prompt, as an agent shows it.
package struct PromptReport: Hashable, Sendable {
    package let id: Int
    package let kind: Prompt.Kind
    /// The client's identifier.
    package let client: String
    package let displayName: String
    /// The process that asked; 0 if it is not known.
    package let processID: Int32
    package let userID: UInt32
    package let usageDescription: String
    /// The recipients of the location beyond the client, from its declaration.
    package let recipients: [String]
    /// The evidence about the process that asked; `nil` if there is none.
    package let requester: PeerIdentity?
}

/// An open background activity, as agents show it.
package struct ActivityReport: Hashable, Sendable {
    /// The client's identifier.
    package let client: String
    package let displayName: String
    package let processID: Int32
}

/// The permission of a client that was reset because it was not given a location for a long time.
package struct ResetReport: Hashable, Sendable {
    /// The client's identifier.
    package let client: String
    package let displayName: String
    /// The level that it was allowed.
    package let level: ClientPolicy.Level
    package let time: Timestamp
}

/// The state of the service.
package struct ServiceReport: Sendable {
    /// The parts that reveal where and when users may be: for administrators, and for clients and managers that may have an
    /// exact location.
    package struct Details: Sendable {
        package var isLocationAvailable: Bool
        package var connections: Int
        package var subscriptions: Int
        /// The reason for which the machine's compass has no heading; `nil` while none is needed of it.
        package var compassProblem: String?
    }

    /// The parts for administrators of the service.
    package struct Internals: Sendable {
        package var deliveries: DeliveryCounts
        /// The memory in use, in bytes.
        package var memoryInUse: Int
    }

    /// The status of each source, without ``details`` only its name and state and, for managers, its release and error.
    package var sources: [SourceStatus]
    package var isEnabled: Bool
    package var isEnabledForUser: Bool
    /// True if location services are off because the decisions were lost to damage.
    package var isOffAfterDamage: Bool
    /// True if an agent of the user can show prompts.
    package var hasAgent: Bool
    /// The number of declared clients.
    package var clients: Int
    /// The front ends besides the service's own socket.
    package var frontEnds: [FrontEndStatus]
    /// The refused parts of the configuration; none for a peer that may not see them.
    package var problems: [ConfigurationProblem]
    /// `nil` for a peer that may not see it.
    package var details: Details?
    /// `nil` for a peer that may not see it.
    package var internals: Internals?
}

/// A client of a user, as listed for its managers.
package struct ClientReport: Hashable, Sendable {
    /// A reset for lack of use.
    package struct Reset: Hashable, Sendable {
        package let time: Timestamp
        package let level: ClientPolicy.Level
    }

    /// The client's identifier.
    package let client: String
    package let displayName: String
    package let userID: UInt32
    package let authorization: Authorization
    /// The file of its declaration; `nil` for an undeclared program.
    package var file: String?
    /// The recipients of the location beyond the client, from its declaration.
    package var recipients: [String] = []
    /// True if *always* has to be confirmed yet.
    package var isProvisional = false
    /// True if it was allowed once.
    package var isOnce = false
    /// The time at which the decision to allow it ends; `nil` for one that lasts.
    package var until: Timestamp?
    /// True if that ends when the user logs out.
    package var isUntilLogout = false
    /// The time and the level of its permission that was reset for lack of use, until somebody decides about it.
    package var reset: Reset?
    package var isConnected = false
    package var isInUse = false
    /// The names of the front ends through which it is connected.
    package var frontEnds: [String] = []
    package var lastAccess: Timestamp?
    /// The number of conditions that it has watched.
    package var conditions = 0
    /// True if it has visits watched.
    package var watchesVisits = false
    /// The most that its policy lets the user allow; `nil` for a former client.
    package var maximumAuthorization: ClientPolicy.Level?
    /// The highest accuracy that its policy lets the user give; `nil` for a former client.
    package var maximumAccuracy: AccuracyAuthorization?
    /// The installed application that it is, by the name of its desktop file; `nil` if none is known.
    package var application: String?
    /// True if its user has put it on the quiet list.
    package var isQuiet = false

    init(_ client: String, displayName: String, userID: UInt32, _ authorization: Authorization) {
        (self.client, self.displayName, self.userID, self.authorization) = (client, displayName, userID, authorization)
    }
}

/// The result of a decision.
package struct DecisionReport: Hashable, Sendable {
    /// A rule that keeps the decision from taking full effect.
    package enum Limit: Hashable, Sendable {
        case servicesOffForMachine
        case servicesOffForUser
        /// The policy in this file.
        case maximumAuthorization(file: String)
        case maximumAccuracy(file: String)
        /// A rule, in words.
        case rule(AccessRule.ID, String)
    }

    package let authorization: Authorization
    package let limits: [Limit]
}

/// A period in which a client was given locations.
package struct AccessReport: Hashable, Sendable {
    package let session: AccessSession
    /// The recipients of the location beyond the client, as its declaration states now.
    package let recipients: [String]
}

/// A client that is given locations at this moment.
package struct CurrentAccessReport: Hashable, Sendable {
    /// The client's identifier.
    package let client: String
    package let displayName: String
    package let userID: UInt32
    /// The time of the first location.
    package let start: Timestamp
    /// The accuracy of the last location; `nil` if it was only told of watched places.
    package let accuracy: AccuracyAuthorization?
    /// The names of the front ends through which it was given them.
    package let frontEnds: [String]
    /// The recipients of the location beyond the client, from its declaration.
    package let recipients: [String]
    /// The installed application that it is, by the name of its desktop file; `nil` if none is known.
    package let application: String?
    /// True if its user has put it on the quiet list.
    package let isQuiet: Bool
}

/// An explanation of a client's access.
package struct Explanation: Hashable, Sendable {
    /// One rule, in the order of evaluation.
    package struct Step: Hashable, Sendable {
        /// The rule, as a question.
        package let rule: String
        /// The result, in the form of the reply.
        package let found: String
        /// The file and the key path of the rule; `nil` if it is not in a file.
        package var file: String?
        package var keyPath: String?
        /// True for the rule that decides.
        package var isDecisive = false
    }

    /// The client's identifier; `nil` for a process that is not a client.
    package var client: String?
    package var authorization: Authorization?
    package var steps: [Step]
}
