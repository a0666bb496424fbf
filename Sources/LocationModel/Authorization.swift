/// What a client may have of one user's location, as the client sees it.
///
/// The cases and their meaning are Core Location's (`CLAuthorizationStatus`). Their names are also the words of the
/// wire and of every file and command.
public enum AuthorizationStatus: String, Hashable, Sendable, CaseIterable, Codable {
    /// Nobody has decided yet; asking is possible.
    case notDetermined
    /// A policy forbids it and the user cannot change that.
    case restricted
    /// The user said no, or location services are off.
    case denied
    /// Allowed while the client is in use.
    case authorizedWhenInUse
    /// Allowed at any time.
    case authorizedAlways
}

/// How exactly a client may know where the user is (`CLAccuracyAuthorization`).
public enum AccuracyAuthorization: String, Hashable, Sendable, CaseIterable, Codable {
    /// As exactly as the receiver knows.
    case full
    /// A cell of about 5 km.
    case reduced
}
