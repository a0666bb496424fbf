public import LocationModel

// The decisions and the history of a user. Open to root, and to the programs that the configuration lists as `Agents`,
// for their own user.

extension ManagerInterface {
    /// A client and one user's decisions about it.
    public struct Client: Codable, Hashable, Sendable {
        /// Its identifier.
        public var client: String
        /// The name for people.
        public var displayName: String
        /// The file that declares it; `nil` for an undeclared program or a former client.
        public var file: String?
        /// The user whose location it is.
        public var userID: Int
        /// The authorization status.
        public var status: AuthorizationStatus
        /// The authorized accuracy.
        public var accuracy: AccuracyAuthorization
        /// True if it is connected.
        public var isConnected: Bool
        /// True if it is in use.
        public var isInUse: Bool
        /// The names of the front ends through which it is connected; `nil` if it is not connected.
        public var frontEnds: [String]?
        /// True if its `authorizedAlways` is provisional: the user is asked to confirm it when a location is due in the
        /// background.
        public var isProvisional: Bool?
        /// The time of its last location.
        public var lastAccess: Timestamp?

        /// A client that is not connected, without the optional properties.
        public init(
            client: String, displayName: String, userID: Int, status: AuthorizationStatus,
            accuracy: AccuracyAuthorization
        ) {
            self.client = client
            self.displayName = displayName
            self.userID = userID
            self.status = status
            self.accuracy = accuracy
            isConnected = false
            isInUse = false
        }
    }

    /// One period in which a client was given locations.
    public struct Access: Codable, Hashable, Sendable {
        /// The client's identifier.
        public var client: String
        /// The user whose location it was.
        public var userID: Int
        /// The delivery of the first location.
        public var from: Timestamp
        /// The delivery of the last location.
        public var to: Timestamp
        /// The number of locations.
        public var count: Int
        /// The highest accuracy given.
        public var accuracy: AccuracyAuthorization
        /// The smallest `horizontalAccuracy` given, in metres; `nil` if it was never known.
        public var finestAccuracy: Double?

        /// The name of the front end through which it was connected; `nil` if that was not recorded.
        public var frontEnd: String?

        /// An access.
        public init(
            client: String, userID: Int, from: Timestamp, to: Timestamp, count: Int, accuracy: AccuracyAuthorization,
            finestAccuracy: Double?
        ) {
            self.client = client
            self.userID = userID
            self.from = from
            self.to = to
            self.count = count
            self.accuracy = accuracy
            self.finestAccuracy = finestAccuracy
        }
    }

    /// One evaluated rule of an explanation.
    public struct Step: Codable, Hashable, Sendable {
        /// The rule, as a question.
        public var rule: String
        /// The result.
        public var found: String
        /// The file with the setting that led to the result, if there is one.
        public var file: String?
        /// The key path of that setting.
        public var keyPath: String?
        /// True for the rule that decided.
        public var isDecisive: Bool

        /// A rule and its result.
        public init(
            rule: String, found: String, file: String? = nil, keyPath: String? = nil, isDecisive: Bool = false
        ) {
            self.rule = rule
            self.found = found
            self.file = file
            self.keyPath = keyPath
            self.isDecisive = isDecisive
        }
    }

    /// Lists the declared clients, and the undeclared ones that are connected or have decisions.
    public enum ListClients: InterfaceMethod {
        /// `org.locationd.Manager.ListClients`
        public static let name = "org.locationd.Manager.ListClients"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The user; the caller if absent. Only root may name another user.
            public var userID: Int?

            /// Parameters for this user.
            public init(userID: Int? = nil) { self.userID = userID }
        }

        /// The reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The clients.
            public var clients: [Client]

            /// A reply with these clients.
            public init(clients: [Client]) { self.clients = clients }
        }
    }

    /// The result of a decision.
    public struct Outcome: Codable, Hashable, Sendable {
        /// The status now.
        public var status: AuthorizationStatus
        /// The accuracy now.
        public var accuracy: AccuracyAuthorization
        /// The limits that keep the decision from taking full effect.
        public var limits: [Limit]

        /// A result with this authorization.
        public init(status: AuthorizationStatus, accuracy: AccuracyAuthorization, limits: [Limit] = []) {
            self.status = status
            self.accuracy = accuracy
            self.limits = limits
        }
    }

    /// A reason why a saved decision does not take full effect now.
    public struct Limit: Codable, Hashable, Sendable {
        /// The kind of limit.
        public enum Reason: String, Codable, Hashable, Sendable, CaseIterable {
            /// Location services are off for everybody.
            case servicesOffForMachine
            /// Location services are off for the user.
            case servicesOffForUser
            /// A policy allows no more than while in use.
            case maximumAuthorization
            /// A policy allows no more than reduced accuracy.
            case maximumAccuracy
        }

        /// The kind of limit.
        public var reason: Reason
        /// The file with the policy, if it is a policy.
        public var file: String?

        /// A limit of this kind.
        public init(reason: Reason, file: String? = nil) {
            self.reason = reason
            self.file = file
        }
    }

    /// Makes a decision about a client for the user.
    public enum SetAuthorization: InterfaceMethod {
        /// `org.locationd.Manager.SetAuthorization`
        public static let name = "org.locationd.Manager.SetAuthorization"

        /// The possible decisions.
        public enum Authorization: String, Codable, Hashable, Sendable, CaseIterable {
            /// Discard all decisions.
            case notDetermined
            /// Don't allow.
            case denied
            /// Allow while it is in use.
            case authorizedWhenInUse
            /// Allow at any time.
            case authorizedAlways
        }

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The client's identifier.
            public var client: String
            /// The decision.
            public var authorization: Authorization
            /// The user; the caller if absent. Only root may name another user.
            public var userID: Int?

            /// A decision about a client.
            public init(client: String, authorization: Authorization, userID: Int? = nil) {
                self.client = client
                self.authorization = authorization
                self.userID = userID
            }
        }

        /// The authorization afterwards.
        public typealias Reply = Outcome
    }

    /// Decides about the accuracy of a client's locations.
    public enum SetAccuracy: InterfaceMethod {
        /// `org.locationd.Manager.SetAccuracy`
        public static let name = "org.locationd.Manager.SetAccuracy"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The client's identifier.
            public var client: String
            /// The decision.
            public var accuracy: AccuracyAuthorization
            /// The user; the caller if absent. Only root may name another user.
            public var userID: Int?

            /// A decision about a client.
            public init(client: String, accuracy: AccuracyAuthorization, userID: Int? = nil) {
                self.client = client
                self.accuracy = accuracy
                self.userID = userID
            }
        }

        /// The authorization afterwards.
        public typealias Reply = Outcome
    }

    /// Switches location services on or off.
    public enum SetEnabled: InterfaceMethod {
        /// `org.locationd.Manager.SetEnabled`
        public static let name = "org.locationd.Manager.SetEnabled"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// True for on.
            public var isEnabled: Bool
            /// True for the whole machine, which only root and the service's own user may switch.
            public var isSystem: Bool?
            /// The user; the caller if absent. Only root may name another user.
            public var userID: Int?

            /// Parameters for a user, or for the whole machine.
            public init(isEnabled: Bool, isSystem: Bool? = nil, userID: Int? = nil) {
                self.isEnabled = isEnabled
                self.isSystem = isSystem
                self.userID = userID
            }
        }

        /// An empty reply.
        public typealias Reply = Nothing
    }

    /// Lists the accesses to the user's location, the newest first.
    public enum ListAccess: InterfaceMethod {
        /// `org.locationd.Manager.ListAccess`
        public static let name = "org.locationd.Manager.ListAccess"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The client; all if absent.
            public var client: String?
            /// Only accesses that ended at or after this time.
            public var since: Timestamp?
            /// The largest number of accesses, from 1 to 1000; 100 if absent.
            public var limit: Int?
            /// The user; the caller if absent. Only root may name another user.
            public var userID: Int?

            /// Parameters; by default the newest 100 accesses of the caller's user.
            public init(client: String? = nil, since: Timestamp? = nil, limit: Int? = nil, userID: Int? = nil) {
                self.client = client
                self.since = since
                self.limit = limit
                self.userID = userID
            }
        }

        /// The reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The accesses.
            public var sessions: [Access]

            /// A reply with these accesses.
            public init(sessions: [Access]) { self.sessions = sessions }
        }
    }

    /// Explains the access of a client or of a running process.
    public enum Explain: InterfaceMethod {
        /// `org.locationd.Manager.Explain`
        public static let name = "org.locationd.Manager.Explain"

        /// The parameters: a client or a process.
        public struct Parameters: Codable, Hashable, Sendable {
            /// A client's identifier.
            public var client: String?
            /// A process id.
            public var processID: Int?
            /// The user; the caller if absent. Only root may name another user.
            public var userID: Int?

            /// Parameters for a client or a process: exactly one of them.
            public init(client: String? = nil, processID: Int? = nil, userID: Int? = nil) {
                self.client = client
                self.processID = processID
                self.userID = userID
            }
        }

        /// The reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The client; `nil` if the process belongs to none.
            public var client: String?
            /// Its status.
            public var status: AuthorizationStatus?
            /// Its accuracy.
            public var accuracy: AccuracyAuthorization?
            /// The evaluated rules, in order.
            public var steps: [Step]

            /// An explanation.
            public init(
                client: String?, status: AuthorizationStatus?, accuracy: AccuracyAuthorization?, steps: [Step]
            ) {
                self.client = client
                self.status = status
                self.accuracy = accuracy
                self.steps = steps
            }
        }
    }
}

// MARK: Errors

extension ManagerInterface {
    /// There is no such client.
    public struct NoSuchClient: InterfaceError {
        /// `org.locationd.Manager.NoSuchClient`
        public static let name = "org.locationd.Manager.NoSuchClient"
        /// The requested one.
        public var client: String
        /// A client with a similar identifier, if there is one.
        public var suggestion: String?

        /// The error for the identifier `client`.
        public init(client: String) { self.client = client }
    }

    /// There is no such process, or it cannot be identified.
    public struct NoSuchProcess: InterfaceError {
        /// `org.locationd.Manager.NoSuchProcess`
        public static let name = "org.locationd.Manager.NoSuchProcess"
        /// The requested one.
        public var processID: Int

        /// The error for the process `processID`.
        public init(processID: Int) { self.processID = processID }
    }

    /// The caller may not manage decisions.
    public struct NotAManager: InterfaceError {
        /// `org.locationd.Manager.NotAManager`
        public static let name = "org.locationd.Manager.NotAManager"
        /// A sentence for people that names the key and the file to change.
        public var message: String

        /// The error with this message.
        public init(message: String) { self.message = message }
    }

    /// A policy restricts the client, so a decision would have no effect.
    public struct Restricted: InterfaceError {
        /// `org.locationd.Manager.Restricted`
        public static let name = "org.locationd.Manager.Restricted"
        /// The client's identifier.
        public var client: String
        /// The file with the policy.
        public var file: String

        /// The error for `client`, which `file` restricts.
        public init(client: String, file: String) {
            self.client = client
            self.file = file
        }
    }

    /// The decision could not be saved.
    public struct NotSaved: InterfaceError {
        /// `org.locationd.Manager.NotSaved`
        public static let name = "org.locationd.Manager.NotSaved"
        /// True if it is in force until the service restarts, as denials and switching off are; false if nothing has
        /// changed.
        public var isInForce: Bool
        /// A sentence for people with the effect and the reason.
        public var message: String

        /// The error with this message.
        public init(isInForce: Bool, message: String) {
            self.isInForce = isInForce
            self.message = message
        }
    }

    /// The decisions or the history could not be read.
    public struct NotReadable: InterfaceError {
        /// `org.locationd.Manager.NotReadable`
        public static let name = "org.locationd.Manager.NotReadable"
        /// The reason, as a sentence for people.
        public var message: String

        /// The error with this message.
        public init(message: String) { self.message = message }
    }
}
