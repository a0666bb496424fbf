public import LocationModel

/// A client's authorization for one user's location: status and accuracy.
public struct Authorization: Hashable, Sendable {
    /// The authorization status.
    public var status: AuthorizationStatus
    /// The authorized accuracy.
    public var accuracy: AccuracyAuthorization

    /// An authorization with this status and accuracy.
    public init(status: AuthorizationStatus, accuracy: AccuracyAuthorization) {
        self.status = status
        self.accuracy = accuracy
    }
}

/// The decision about delivering a location to a client at one moment.
public enum Access: Hashable, Sendable {
    /// Deliver, with this accuracy.
    case permitted(AccuracyAuthorization)
    /// Do not deliver this location: a rule about a place refuses it, and the client must not learn that. To the client there
    /// is no location now.
    case withheld
    /// Do not deliver until the client is in use.
    case suspended
    /// Do not deliver until the user has answered a prompt.
    case undecided
    /// Do not deliver.
    case refused
}
