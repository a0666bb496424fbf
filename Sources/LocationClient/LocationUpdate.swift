public import LocationInterface
public import LocationModel

/// One element of ``LiveUpdates``: a location, a heading, or what stands in the way of them.
///
/// The names are those of Core Location's `CLLocationUpdate`.
public struct LocationUpdate: Hashable, Sendable {
    /// Where the user is.
    public var location: Location?
    /// Where the nose points.
    public var heading: Heading?
    /// How many locations were missed before this one because the program took them too slowly.
    public var skippedCount: Int
    /// Why there is no location, or no exact one; `nil` in an update that has one.
    public var diagnostic: LocationInterface.Diagnostic?
    /// The connection to the service was lost; it is being made again.
    public var serviceUnavailable: Bool

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
    /// There is no fix: no receiver, no satellites, no gpsd.
    public var locationUnavailable: Bool { diagnostic == .locationUnavailable }

    init(_ reply: LocationInterface.Subscribe.Reply) {
        location = reply.location
        heading = reply.heading
        diagnostic = reply.diagnostic
        skippedCount = reply.skipped ?? 0
        serviceUnavailable = false
    }

    private init(serviceUnavailable: Bool) {
        self.serviceUnavailable = serviceUnavailable
        skippedCount = 0
    }

    /// The update which says that the connection was lost.
    static let connectionLost = LocationUpdate(serviceUnavailable: true)
}
