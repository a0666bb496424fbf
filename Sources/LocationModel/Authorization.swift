/// A client's authorization for one user's location, as the client sees it.
///
/// The cases and their meaning are Core Location's (`CLAuthorizationStatus`). Their raw values are the same in the
/// Varlink interface, in files and in commands.
public enum AuthorizationStatus: String, Hashable, Sendable, CaseIterable, Codable {
    /// Nobody has decided yet; the client may ask.
    case notDetermined
    /// A policy forbids access, and the user cannot change that.
    case restricted
    /// The user denied access, or location services are off.
    case denied
    /// Allowed while the client is in use.
    case authorizedWhenInUse
    /// Allowed at any time.
    case authorizedAlways
}

/// The accuracy that a client is authorized for (`CLAccuracyAuthorization`).
public enum AccuracyAuthorization: String, Hashable, Sendable, CaseIterable, Codable {
    /// The receiver's own accuracy.
    case full
    /// A cell of about 5 km.
    case reduced
}
