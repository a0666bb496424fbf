public import LocationModel

/// `org.locationd.Authorization`: what the calling client may have of its user's location, and how it asks for more.
public enum AuthorizationInterface {
    /// What the caller may have; the answer of most methods here.
    public struct Status: Codable, Hashable, Sendable {
        /// The identifier of the caller's declaration.
        public var client: String
        /// Whether it may know.
        public var status: AuthorizationStatus
        /// How exactly.
        public var accuracy: AccuracyAuthorization
        /// Why it would not receive a location now, or not an exact one; `nil` where nothing stands in the way.
        public var cause: LocationInterface.Cause?

        /// The client `client` has this authorization.
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

    /// Who the caller is to the service, and what it may have.
    public enum GetStatus: InterfaceMethod {
        /// `org.locationd.Authorization.GetStatus`
        public static let name = "org.locationd.Authorization.GetStatus"
        /// Nothing is asked for.
        public typealias Parameters = Nothing
        /// The authorization.
        public typealias Reply = Status
    }

    /// Asks the user for the location while in use.
    public enum RequestWhenInUse: InterfaceMethod {
        /// `org.locationd.Authorization.RequestWhenInUse`
        public static let name = "org.locationd.Authorization.RequestWhenInUse"
        /// Nothing is asked for.
        public typealias Parameters = Nothing
        /// The authorization afterwards.
        public typealias Reply = Status
    }

    /// Asks the user for the location at any time.
    public enum RequestAlways: InterfaceMethod {
        /// `org.locationd.Authorization.RequestAlways`
        public static let name = "org.locationd.Authorization.RequestAlways"
        /// Nothing is asked for.
        public typealias Parameters = Nothing
        /// The authorization afterwards.
        public typealias Reply = Status
    }

    /// Asks the user whether a client with reduced accuracy may know exactly for now.
    public enum RequestTemporaryFullAccuracy: InterfaceMethod {
        /// `org.locationd.Authorization.RequestTemporaryFullAccuracy`
        public static let name = "org.locationd.Authorization.RequestTemporaryFullAccuracy"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names the text that says why.
            public var purposeKey: String

            /// For the purpose with this key.
            public init(purposeKey: String) { self.purposeKey = purposeKey }
        }

        /// The authorization afterwards.
        public typealias Reply = Status
    }

    /// The authorization now and after every change.
    public enum Watch: InterfaceMethod {
        /// `org.locationd.Authorization.Watch`
        public static let name = "org.locationd.Authorization.Watch"
        /// Nothing is asked for.
        public typealias Parameters = Nothing
        /// The authorization.
        public typealias Reply = Status
    }

    /// Keeps a client in use while it is in the background and the user can see that.
    public enum BeginBackgroundActivity: InterfaceMethod {
        /// `org.locationd.Authorization.BeginBackgroundActivity`
        public static let name = "org.locationd.Authorization.BeginBackgroundActivity"
        /// Nothing is asked for.
        public typealias Parameters = Nothing

        /// One of the answers.
        public struct Reply: Codable, Hashable, Sendable {
            /// Whether the user can see it now.
            public var isShown: Bool

            /// It is shown or not.
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
        /// The program it runs.
        public var executable: String?
        /// The unit of the system's service manager it belongs to.
        public var systemdUnit: String?
        /// The unit of its user's service manager it belongs to.
        public var userUnit: String?
        /// The Flatpak application it is part of.
        public var flatpakID: String?
        /// Its label under a security module.
        public var securityLabel: String?
        /// A sentence for people which says what to write into which file.
        public var message: String

        /// Nothing but the message is known; set what else is.
        public init(message: String) { self.message = message }
    }

    /// The caller may not know where the user is.
    public struct NotAuthorized: InterfaceError {
        /// `org.locationd.Authorization.NotAuthorized`
        public static let name = "org.locationd.Authorization.NotAuthorized"
        /// The identifier of the caller's declaration.
        public var client: String
        /// Its status.
        public var status: AuthorizationStatus
        /// Why, for programs.
        public var reason: LocationInterface.Reason?
        /// A sentence for people which says who decided that and what can be done.
        public var message: String

        /// The client `client` has `status`, because of what `message` says.
        public init(
            client: String, status: AuthorizationStatus, reason: LocationInterface.Reason?, message: String
        ) {
            self.client = client
            self.status = status
            self.reason = reason
            self.message = message
        }
    }

    /// The declaration lacks the text that says why the client asks.
    public struct MissingUsageDescription: InterfaceError {
        /// `org.locationd.Authorization.MissingUsageDescription`
        public static let name = "org.locationd.Authorization.MissingUsageDescription"
        /// The key to add.
        public var key: String
        /// The file to add it to.
        public var file: String
        /// A sentence for people.
        public var message: String

        /// `key` is missing from `file`.
        public init(key: String, file: String, message: String) {
            self.key = key
            self.file = file
            self.message = message
        }
    }

    /// Nobody could be asked.
    public struct NoAgent: InterfaceError {
        /// `org.locationd.Authorization.NoAgent`
        public static let name = "org.locationd.Authorization.NoAgent"
        /// How long the request waited for an agent, in seconds.
        public var seconds: Int
        /// A sentence for people.
        public var message: String

        /// No agent came within `seconds`.
        public init(seconds: Int, message: String) {
            self.seconds = seconds
            self.message = message
        }
    }

    /// The user was asked and did not answer.
    public struct NotAnswered: InterfaceError {
        /// `org.locationd.Authorization.NotAnswered`
        public static let name = "org.locationd.Authorization.NotAnswered"
        /// How long the user had, in seconds.
        public var seconds: Int
        /// A sentence for people.
        public var message: String

        /// No answer came within `seconds`.
        public init(seconds: Int, message: String) {
            self.seconds = seconds
            self.message = message
        }
    }

    /// The client has had the user asked too often.
    public struct TooManyPrompts: InterfaceError {
        /// `org.locationd.Authorization.TooManyPrompts`
        public static let name = "org.locationd.Authorization.TooManyPrompts"
        /// A sentence for people.
        public var message: String

        /// The client has to wait.
        public init(message: String) { self.message = message }
    }

    /// The client may not go on in the background.
    public struct BackgroundActivityNotAllowed: InterfaceError {
        /// `org.locationd.Authorization.BackgroundActivityNotAllowed`
        public static let name = "org.locationd.Authorization.BackgroundActivityNotAllowed"
        /// A sentence for people.
        public var message: String

        /// Not allowed, because of what `message` says.
        public init(message: String) { self.message = message }
    }
}
