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

/// The access of a client at one moment, as it is reported to the client. No rule about a place changes it: see ``RecipientView``.
public enum Access: Hashable, Sendable {
    /// Deliveries with this accuracy.
    case permitted(AccuracyAuthorization)
    /// No deliveries until the client is in use.
    case suspended
    /// No deliveries until the user has answered a prompt.
    case undecided
    /// No deliveries.
    case refused
}
