/// A client's authorization for a user's location.
///
/// The cases and their meaning are those of Core Location's `CLAuthorizationStatus`. The raw values are the same in the
/// Varlink interface, in files and in commands.
public enum AuthorizationStatus: String, Hashable, Sendable, CaseIterable, Codable {
    /// The user is undecided; the client may prompt.
    case notDetermined
    /// A policy forbids access, and the user cannot change that.
    case restricted
    /// The user denied access, or location services are off.
    case denied
    /// The client is authorized while it is in use.
    case authorizedWhenInUse
    /// The client is authorized at any time.
    case authorizedAlways
}

/// The accuracy that a client is authorized for (Core Location's `CLAccuracyAuthorization`).
public enum AccuracyAuthorization: String, Hashable, Sendable, CaseIterable, Codable {
    /// The receiver's own accuracy.
    case full
    /// Approximate locations: a cell of about 5 km.
    case reduced
}
