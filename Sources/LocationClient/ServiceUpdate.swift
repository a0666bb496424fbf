public import LocationInterface

/// What all updates can say besides what they are about.
///
/// The names are those of Core Location's `CLLocationUpdate`.
public protocol ServiceUpdate: Sendable {
    /// Why there is nothing to tell, or nothing exact; `nil` in an update that has what was asked for.
    var diagnostic: LocationInterface.Diagnostic? { get }
    /// How many were missed before this one because the program took them too slowly.
    var skippedCount: Int { get }
    /// The connection to the service was lost; it is being made again.
    var serviceUnavailable: Bool { get }
}

extension ServiceUpdate {
    /// The user is being asked; the answer follows.
    public var authorizationRequestInProgress: Bool { diagnostic == .authorizationRequestInProgress }
    /// The user said no, or nobody may be asked.
    public var authorizationDenied: Bool { diagnostic == .authorizationDenied }
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
