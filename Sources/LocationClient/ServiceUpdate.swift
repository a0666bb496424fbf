public import LocationModel

/// The fields that all kinds of updates share.
///
/// The names are those of Core Location's `CLLocationUpdate`.
public protocol ServiceUpdate: Sendable {
    /// Why there is nothing to tell, or nothing exact; `nil` in an update that has what was asked for.
    var diagnostic: LocationDiagnostic? { get }
    /// The cause of the diagnostic, where more is known: what is wrong and what would change it.
    var cause: LocationCause? { get }
    /// How many were missed before this one because the program took them too slowly.
    var skippedCount: Int { get }
    /// The connection to the service was lost; it is being made again.
    var serviceUnavailable: Bool { get }
}

extension ServiceUpdate {
    /// The user is being asked; the answer follows.
    public var authorizationRequestInProgress: Bool { diagnostic == .authorizationRequestInProgress }
    /// The user said no, nobody may be asked, or location services are off.
    public var authorizationDenied: Bool { diagnostic == .authorizationDenied }
    /// Location services are off, for the user or for everybody. ``authorizationDenied`` is true, too.
    public var authorizationDeniedGlobally: Bool { authorizationDenied && cause?.reason.isGlobal == true }
    /// A policy forbids it and the user cannot change that.
    public var authorizationRestricted: Bool { diagnostic == .authorizationRestricted }
    /// The program is not in use, and may know only while it is.
    public var insufficientlyInUse: Bool { diagnostic == .insufficientlyInUse }
    /// The program may know only roughly where the user is.
    public var accuracyLimited: Bool { diagnostic == .accuracyLimited }
    /// The user stays where they are and the updates pause meanwhile.
    public var stationary: Bool { diagnostic == .stationary }
    /// There is no fix: no receiver, no satellites, no gpsd.
    public var locationUnavailable: Bool { diagnostic == .locationUnavailable }
}
