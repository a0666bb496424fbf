public import LocationModel

/// The fields that all updates share.
///
/// The names are those of Core Location's `CLLocationUpdate`.
public protocol ServiceUpdate: Sendable {
    /// The reason for a missing or reduced location; `nil` if the update has what was requested.
    var diagnostic: LocationDiagnostic? { get }
    /// The cause of ``diagnostic`` with a sentence for people; `nil` if the service names none.
    var cause: LocationCause? { get }
    /// The number of elements dropped before this one because the program took them too slowly.
    var skippedCount: Int { get }
    /// True if the connection to the service is lost; the library reconnects by itself.
    var serviceUnavailable: Bool { get }
}

extension ServiceUpdate {
    /// True while the prompt is open; the outcome follows.
    public var authorizationRequestInProgress: Bool { diagnostic == .authorizationRequestInProgress }
    /// True if the user denied access, location services are off, or the user is undecided and cannot be prompted.
    public var authorizationDenied: Bool { diagnostic == .authorizationDenied }
    /// True if location services are off, for the user or for everybody. ``authorizationDenied`` is true as well.
    public var authorizationDeniedGlobally: Bool { authorizationDenied && cause?.reason.isGlobal == true }
    /// True if a policy forbids access, which the user cannot change.
    public var authorizationRestricted: Bool { diagnostic == .authorizationRestricted }
    /// True if the program is authorized only while in use, and is not in use.
    public var insufficientlyInUse: Bool { diagnostic == .insufficientlyInUse }
    /// True if the program receives only approximate locations (about 5 km).
    public var accuracyLimited: Bool { diagnostic == .accuracyLimited }
    /// True if the user stays in one place and the updates pause.
    public var stationary: Bool { diagnostic == .stationary }
    /// Always false: no service session is needed here. Core Location's updates have this name.
    public var serviceSessionRequired: Bool { false }
    /// True if there is no fix: gpsd or a receiver is missing, or the receiver has no fix.
    public var locationUnavailable: Bool { diagnostic == .locationUnavailable }
}
