public import LocationModel

/// Whose authorization it is: one client's, for one user.
public struct ClientKey: Hashable, Sendable {
    /// The user.
    public var userID: UInt32
    /// The client's identifier.
    public var client: String

    /// The client `client` of the user `userID`.
    public init(userID: UInt32, client: String) {
        self.userID = userID
        self.client = client
    }
}

/// What has been decided about one client by one user, as it is kept on disk.
public struct AuthorizationRecord: Hashable, Sendable {
    /// A decision that lasts. *Once* does not: it ends with the client, or with the service.
    public enum Grant: String, Hashable, Sendable, CaseIterable {
        /// Don't allow.
        case denied
        /// Allow while using.
        case whenInUse
        /// Allowed while using when always was asked for: the client sees always, and the user is asked again when it
        /// first matters.
        case provisionalAlways
        /// Allow always.
        case always
    }

    /// The decision; `nil` while there is none.
    public var grant: Grant?
    /// Whether the one prompt that offers a client more than while using has been answered.
    public var hasUsedUpgradePrompt: Bool
    /// How exactly the client may know, if the user has decided that.
    public var accuracy: AccuracyAuthorization?

    /// Nothing has been decided.
    public init() {
        hasUsedUpgradePrompt = false
    }
}

/// Who decided something, when and how.
public struct DecisionOrigin: Hashable, Sendable {
    /// How it was decided.
    public enum Manner: String, Hashable, Sendable, CaseIterable {
        /// The user answered a prompt.
        case prompt
        /// The user answered their desktop's own dialog, which keeps answers of its own and is asked again.
        case desktop
        /// The user or root gave a command.
        case command
    }

    /// The user who decided; 0 for an administrator who decided for somebody else.
    public var userID: UInt32
    /// How.
    public var manner: Manner
    /// When.
    public var timestamp: Timestamp

    /// A decision of `userID`.
    public init(userID: UInt32, manner: Manner, timestamp: Timestamp) {
        self.userID = userID
        self.manner = manner
        self.timestamp = timestamp
    }
}
