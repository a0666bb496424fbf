public import LocationModel

/// `org.locationd.Authorization`: what the calling client may have of its user's location.
public enum AuthorizationInterface {
    /// Who the caller is to the service, and what it may have.
    public enum GetStatus: InterfaceMethod {
        /// `org.locationd.Authorization.GetStatus`
        public static let name = "org.locationd.Authorization.GetStatus"
        /// Nothing is asked for.
        public typealias Parameters = Nothing

        /// The answer.
        public struct Reply: Codable, Hashable, Sendable {
            /// The identifier of the caller's declaration.
            public var client: String
            /// Whether it may know.
            public var status: AuthorizationStatus
            /// How exactly.
            public var accuracy: AccuracyAuthorization

            /// The client `client` has this authorization.
            public init(client: String, status: AuthorizationStatus, accuracy: AccuracyAuthorization) {
                self.client = client
                self.status = status
                self.accuracy = accuracy
            }
        }
    }

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
        /// A sentence for people which says who decided that and what can be done.
        public var message: String

        /// The client `client` has `status`, because of what `message` says.
        public init(client: String, status: AuthorizationStatus, message: String) {
            self.client = client
            self.status = status
            self.message = message
        }
    }
}
