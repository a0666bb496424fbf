public import LocationModel

/// `org.locationd.Authorization`: the authorization of the calling client, and requests for more.
public enum AuthorizationInterface {
    /// The caller's authorization; the reply of most methods here.
    public struct Status: Codable, Hashable, Sendable {
        /// The identifier of the caller's declaration.
        public var client: String
        /// The authorization status.
        public var status: AuthorizationStatus
        /// The authorized accuracy.
        public var accuracy: AccuracyAuthorization
        /// The reason why it would receive no location now, or a reduced one; `nil` without such a reason.
        public var cause: LocationInterface.Cause?

        /// The authorization of the client `client`.
        public init(
            client: String, status: AuthorizationStatus, accuracy: AccuracyAuthorization,
            cause: LocationInterface.Cause? = nil
        ) {
            self.client = client
            self.status = status
            self.accuracy = accuracy
            self.cause = cause
        }
    }

    /// Returns the client that the caller belongs to, and its authorization.
    public enum GetStatus: InterfaceMethod {
        /// `org.locationd.Authorization.GetStatus`
        public static let name = "org.locationd.Authorization.GetStatus"
        /// No parameters.
        public typealias Parameters = Nothing
        /// The authorization.
        public typealias Reply = Status
    }

    /// Asks the user for the location while in use.
    public enum RequestWhenInUse: InterfaceMethod {
        /// `org.locationd.Authorization.RequestWhenInUse`
        public static let name = "org.locationd.Authorization.RequestWhenInUse"
        /// No parameters.
        public typealias Parameters = Nothing
        /// The authorization afterwards.
        public typealias Reply = Status
    }

    /// Asks the user for the location at any time.
    public enum RequestAlways: InterfaceMethod {
        /// `org.locationd.Authorization.RequestAlways`
        public static let name = "org.locationd.Authorization.RequestAlways"
        /// No parameters.
        public typealias Parameters = Nothing
        /// The authorization afterwards.
        public typealias Reply = Status
    }

    /// Asks the user for full accuracy until the client, which has reduced accuracy, is no longer in use.
    public enum RequestTemporaryFullAccuracy: InterfaceMethod {
        /// `org.locationd.Authorization.RequestTemporaryFullAccuracy`
        public static let name = "org.locationd.Authorization.RequestTemporaryFullAccuracy"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The key of the purpose in the declaration's `NSLocationTemporaryUsageDescriptionDictionary`.
            public var purposeKey: String

            /// A request for the purpose with this key.
            public init(purposeKey: String) { self.purposeKey = purposeKey }
        }

        /// The authorization afterwards.
        public typealias Reply = Status
    }

    /// Streams the authorization, now and after every change.
    public enum Watch: InterfaceMethod {
        /// `org.locationd.Authorization.Watch`
        public static let name = "org.locationd.Authorization.Watch"
        /// No parameters.
        public typealias Parameters = Nothing
        /// The authorization.
        public typealias Reply = Status
    }

    /// Keeps a client in use in the background, while an agent shows that to the user.
    public enum BeginBackgroundActivity: InterfaceMethod {
        /// `org.locationd.Authorization.BeginBackgroundActivity`
        public static let name = "org.locationd.Authorization.BeginBackgroundActivity"
        /// No parameters.
        public typealias Parameters = Nothing

        /// One reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// True while an agent shows it to the user.
            public var isShown: Bool

            /// A reply about an activity that is shown, or not.
            public init(isShown: Bool) { self.isShown = isShown }
        }
    }
}

// MARK: Errors

extension AuthorizationInterface {
    /// No declaration matches the caller, or more than one equally well.
    public struct ClientNotDeclared: InterfaceError {
        /// `org.locationd.Authorization.ClientNotDeclared`
        public static let name = "org.locationd.Authorization.ClientNotDeclared"
        /// The path of the caller's program.
        public var executable: String?
        /// Its unit in the system's service manager.
        public var systemdUnit: String?
        /// Its unit in its user's service manager.
        public var userUnit: String?
        /// The id of its Flatpak application.
        public var flatpakID: String?
        /// Its label under a security module.
        public var securityLabel: String?
        /// A sentence for people that tells how to declare the caller.
        public var message: String

        /// The error with this message and without properties of the caller.
        public init(message: String) { self.message = message }
    }

    /// The caller has no access to the user's location.
    public struct NotAuthorized: InterfaceError {
        /// `org.locationd.Authorization.NotAuthorized`
        public static let name = "org.locationd.Authorization.NotAuthorized"
        /// The identifier of the caller's declaration.
        public var client: String
        /// Its status.
        public var status: AuthorizationStatus
        /// The reason, for programs.
        public var reason: LocationInterface.Reason?
        /// A sentence for people with the reason and the remedy.
        public var message: String

        /// The error for the client `client` with this status.
        public init(
            client: String, status: AuthorizationStatus, reason: LocationInterface.Reason?, message: String
        ) {
            self.client = client
            self.status = status
            self.reason = reason
            self.message = message
        }
    }

    /// The declaration lacks the usage description for this request.
    public struct MissingUsageDescription: InterfaceError {
        /// `org.locationd.Authorization.MissingUsageDescription`
        public static let name = "org.locationd.Authorization.MissingUsageDescription"
        /// The key to add.
        public var key: String
        /// The file to add it to.
        public var file: String
        /// A sentence for people.
        public var message: String

        /// The error for a missing `key` in `file`.
        public init(key: String, file: String, message: String) {
            self.key = key
            self.file = file
            self.message = message
        }
    }

    /// No agent of the user was there to show the prompt.
    public struct NoAgent: InterfaceError {
        /// `org.locationd.Authorization.NoAgent`
        public static let name = "org.locationd.Authorization.NoAgent"
        /// The time for which the request waited for an agent, in seconds.
        public var seconds: Int
        /// A sentence for people.
        public var message: String

        /// The error after `seconds` without an agent.
        public init(seconds: Int, message: String) {
            self.seconds = seconds
            self.message = message
        }
    }

    /// The user did not answer the prompt in time.
    public struct NotAnswered: InterfaceError {
        /// `org.locationd.Authorization.NotAnswered`
        public static let name = "org.locationd.Authorization.NotAnswered"
        /// The time for an answer, in seconds.
        public var seconds: Int
        /// A sentence for people.
        public var message: String

        /// The error after `seconds` without an answer.
        public init(seconds: Int, message: String) {
            self.seconds = seconds
            self.message = message
        }
    }

    /// The client has asked too often and has to wait, or too many prompts of the user are open.
    public struct TooManyPrompts: InterfaceError {
        /// `org.locationd.Authorization.TooManyPrompts`
        public static let name = "org.locationd.Authorization.TooManyPrompts"
        /// A sentence for people.
        public var message: String

        /// The error with this message.
        public init(message: String) { self.message = message }
    }

    /// The client may not begin a background activity, or not continue it.
    public struct BackgroundActivityNotAllowed: InterfaceError {
        /// `org.locationd.Authorization.BackgroundActivityNotAllowed`
        public static let name = "org.locationd.Authorization.BackgroundActivityNotAllowed"
        /// A sentence for people.
        public var message: String

        /// The error with this message.
        public init(message: String) { self.message = message }
    }
}
