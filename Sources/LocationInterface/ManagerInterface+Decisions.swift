public import LocationModel

// Who may know where a user is. Open to the programs that the configuration lists as `Agents` when they run as that
// user, and to root; `userID` chooses another user, for root.

extension ManagerInterface {
    /// A client as one user has it.
    public struct Client: Codable, Hashable, Sendable {
        /// Its identifier.
        public var client: String
        /// What to call it.
        public var displayName: String
        /// The file that declares it; `nil` when none does any more.
        public var file: String?
        /// Whose location it is.
        public var userID: Int
        /// Whether it may know.
        public var status: AuthorizationStatus
        /// How exactly.
        public var accuracy: AccuracyAuthorization
        /// Whether it is connected.
        public var isConnected: Bool
        /// Whether it is in use.
        public var isInUse: Bool
        /// The doors by which it is connected, by their names; `nil` if it is not.
        public var doors: [String]?
        /// Whether its `authorizedAlways` is provisional: the user is asked to confirm it once a location is due in the
        /// background.
        public var isProvisional: Bool?
        /// When it was last given a location.
        public var lastAccess: Timestamp?

        /// A client that is not connected; set what else is known.
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

    /// From when to when a client had locations, how many and how exact.
    public struct Access: Codable, Hashable, Sendable {
        /// The client's identifier.
        public var client: String
        /// Whose location it was.
        public var userID: Int
        /// The first one's time of delivery.
        public var from: Timestamp
        /// The last one's.
        public var to: Timestamp
        /// How many.
        public var count: Int
        /// The finest accuracy it was given.
        public var accuracy: AccuracyAuthorization
        /// The smallest radius it was given, in metres, where that was known.
        public var finestAccuracy: Double?

        /// The door that it came by, by its name; `nil` where that was not kept.
        public var door: String?

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

    /// One rule that was looked at.
    public struct Step: Codable, Hashable, Sendable {
        /// What was asked.
        public var rule: String
        /// What was found.
        public var found: String
        /// The file that says so, if one does.
        public var file: String?
        /// Where in it.
        public var keyPath: String?
        /// True for the rule that decided.
        public var isDecisive: Bool

        /// A rule and what was found.
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

    /// The clients that are declared, or that the user has decided about.
    public enum ListClients: InterfaceMethod {
        /// `org.locationd.Manager.ListClients`
        public static let name = "org.locationd.Manager.ListClients"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Whose; the caller's when absent.
            public var userID: Int?

            /// For this user.
            public init(userID: Int? = nil) { self.userID = userID }
        }

        /// The answer.
        public struct Reply: Codable, Hashable, Sendable {
            /// The clients.
            public var clients: [Client]

            /// These clients.
            public init(clients: [Client]) { self.clients = clients }
        }
    }

    /// What a decision leads to.
    public struct Outcome: Codable, Hashable, Sendable {
        /// The status now.
        public var status: AuthorizationStatus
        /// The accuracy now.
        public var accuracy: AccuracyAuthorization
        /// What keeps that below what was decided; empty where nothing does.
        public var limits: [Limit]

        /// This is what holds now.
        public init(status: AuthorizationStatus, accuracy: AccuracyAuthorization, limits: [Limit] = []) {
            self.status = status
            self.accuracy = accuracy
            self.limits = limits
        }
    }

    /// What keeps a decision, which is kept all the same, from having its effect now.
    public struct Limit: Codable, Hashable, Sendable {
        /// What can do that.
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

        /// Which it is.
        public var reason: Reason
        /// The file with the policy, if it is one.
        public var file: String?

        /// This limit.
        public init(reason: Reason, file: String? = nil) {
            self.reason = reason
            self.file = file
        }
    }

    /// Decides for the user.
    public enum SetAuthorization: InterfaceMethod {
        /// `org.locationd.Manager.SetAuthorization`
        public static let name = "org.locationd.Manager.SetAuthorization"

        /// What can be decided.
        public enum Authorization: String, Codable, Hashable, Sendable, CaseIterable {
            /// Forget what was decided.
            case notDetermined
            /// Don't allow.
            case denied
            /// Allow while it is in use.
            case authorizedWhenInUse
            /// Allow at any time.
            case authorizedAlways
        }

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The client's identifier.
            public var client: String
            /// The decision.
            public var authorization: Authorization
            /// Whose; the caller's when absent.
            public var userID: Int?

            /// A decision about a client.
            public init(client: String, authorization: Authorization, userID: Int? = nil) {
                self.client = client
                self.authorization = authorization
                self.userID = userID
            }
        }

        /// What holds afterwards.
        public typealias Reply = Outcome
    }

    /// Sets how exactly a client may know.
    public enum SetAccuracy: InterfaceMethod {
        /// `org.locationd.Manager.SetAccuracy`
        public static let name = "org.locationd.Manager.SetAccuracy"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The client's identifier.
            public var client: String
            /// The decision.
            public var accuracy: AccuracyAuthorization
            /// Whose; the caller's when absent.
            public var userID: Int?

            /// A decision about a client.
            public init(client: String, accuracy: AccuracyAuthorization, userID: Int? = nil) {
                self.client = client
                self.accuracy = accuracy
                self.userID = userID
            }
        }

        /// What holds afterwards.
        public typealias Reply = Outcome
    }

    /// Switches location services on or off.
    public enum SetEnabled: InterfaceMethod {
        /// `org.locationd.Manager.SetEnabled`
        public static let name = "org.locationd.Manager.SetEnabled"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// On or off.
            public var isEnabled: Bool
            /// For everybody; for root.
            public var isSystem: Bool?
            /// Whose; the caller's when absent.
            public var userID: Int?

            /// On or off for a user, or for everybody.
            public init(isEnabled: Bool, isSystem: Bool? = nil, userID: Int? = nil) {
                self.isEnabled = isEnabled
                self.isSystem = isSystem
                self.userID = userID
            }
        }

        /// Nothing is answered.
        public typealias Reply = Nothing
    }

    /// Who had the user's location, the newest first.
    public enum ListAccess: InterfaceMethod {
        /// `org.locationd.Manager.ListAccess`
        public static let name = "org.locationd.Manager.ListAccess"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Only this client's.
            public var client: String?
            /// Only what ended at or after this time.
            public var since: Timestamp?
            /// At most so many, from 1 to 1000; 100 when absent.
            public var limit: Int?
            /// Whose; the caller's when absent.
            public var userID: Int?

            /// Absent is everything of the caller.
            public init(client: String? = nil, since: Timestamp? = nil, limit: Int? = nil, userID: Int? = nil) {
                self.client = client
                self.since = since
                self.limit = limit
                self.userID = userID
            }
        }

        /// The answer.
        public struct Reply: Codable, Hashable, Sendable {
            /// The accesses.
            public var sessions: [Access]

            /// These accesses.
            public init(sessions: [Access]) { self.sessions = sessions }
        }
    }

    /// Why a client, or a running process, may or may not know.
    public enum Explain: InterfaceMethod {
        /// `org.locationd.Manager.Explain`
        public static let name = "org.locationd.Manager.Explain"

        /// What is asked for: a client or a process.
        public struct Parameters: Codable, Hashable, Sendable {
            /// A client's identifier.
            public var client: String?
            /// A process.
            public var processID: Int?
            /// Whose location; the caller's when absent.
            public var userID: Int?

            /// A client or a process.
            public init(client: String? = nil, processID: Int? = nil, userID: Int? = nil) {
                self.client = client
                self.processID = processID
                self.userID = userID
            }
        }

        /// The answer.
        public struct Reply: Codable, Hashable, Sendable {
            /// The client it is about; `nil` when the process is none.
            public var client: String?
            /// Its status.
            public var status: AuthorizationStatus?
            /// Its accuracy.
            public var accuracy: AccuracyAuthorization?
            /// Every rule that was looked at, in order.
            public var steps: [Step]

            /// What was found.
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
        /// What was asked for.
        public var client: String
        /// The client that may have been meant.
        public var suggestion: String?

        /// No client `client`.
        public init(client: String) { self.client = client }
    }

    /// There is no such process, or none that can be looked at.
    public struct NoSuchProcess: InterfaceError {
        /// `org.locationd.Manager.NoSuchProcess`
        public static let name = "org.locationd.Manager.NoSuchProcess"
        /// What was asked for.
        public var processID: Int

        /// No process `processID`.
        public init(processID: Int) { self.processID = processID }
    }

    /// The caller may not manage decisions.
    public struct NotAManager: InterfaceError {
        /// `org.locationd.Manager.NotAManager`
        public static let name = "org.locationd.Manager.NotAManager"
        /// A sentence for people which says which key of which file to change.
        public var message: String

        /// Not a manager, as `message` says.
        public init(message: String) { self.message = message }
    }

    /// A policy restricts the client, so that no decision of a user counts.
    public struct Restricted: InterfaceError {
        /// `org.locationd.Manager.Restricted`
        public static let name = "org.locationd.Manager.Restricted"
        /// The client's identifier.
        public var client: String
        /// The file with the policy.
        public var file: String

        /// `file` restricts `client`.
        public init(client: String, file: String) {
            self.client = client
            self.file = file
        }
    }

    /// The decision could not be written to disk.
    public struct NotSaved: InterfaceError {
        /// `org.locationd.Manager.NotSaved`
        public static let name = "org.locationd.Manager.NotSaved"
        /// Whether it counts all the same, until the service restarts, as a denial and switching off do; else nothing has
        /// changed.
        public var isInForce: Bool
        /// That and why, as a sentence for people.
        public var message: String

        /// Not saved, because of what `message` says.
        public init(isInForce: Bool, message: String) {
            self.isInForce = isInForce
            self.message = message
        }
    }

    /// What is kept on disk could not be read.
    public struct NotReadable: InterfaceError {
        /// `org.locationd.Manager.NotReadable`
        public static let name = "org.locationd.Manager.NotReadable"
        /// Why, as a sentence for people.
        public var message: String

        /// Not readable, because of what `message` says.
        public init(message: String) { self.message = message }
    }
}
