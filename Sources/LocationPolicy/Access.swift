public import LocationModel

/// What one client may have of one user's location.
public struct Authorization: Hashable, Sendable {
    /// Whether it may know.
    public var status: AuthorizationStatus
    /// How exactly.
    public var accuracy: AccuracyAuthorization

    /// An authorization with this status and accuracy.
    public init(status: AuthorizationStatus, accuracy: AccuracyAuthorization) {
        self.status = status
        self.accuracy = accuracy
    }
}

/// Whether a location may go to a client at this moment.
public enum Access: Hashable, Sendable {
    /// It may, with this accuracy.
    case permitted(AccuracyAuthorization)
    /// Not while the client is not in use.
    case suspended
    /// Not before the user has answered.
    case undecided
    /// Not at all.
    case refused
}
