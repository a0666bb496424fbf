import LocationInterface
public import LocationModel

/// One element of ``LiveUpdates``: a location, a heading, or the reason why there is none.
public struct LocationUpdate: ServiceUpdate, Hashable {
    /// The user's location; `nil` in an update that carries a heading or a diagnostic alone.
    public var location: Location?
    /// The compass heading; `nil` without a compass, or unless ``LocationManager/includesHeading`` is set.
    public var heading: Heading?
    /// The reason for a missing or reduced location; `nil` if the update has one of full accuracy.
    public var diagnostic: LocationDiagnostic?
    /// The cause of ``diagnostic`` with a sentence for people; `nil` if the service names none.
    public var cause: LocationCause?
    /// The number of locations dropped before this one because the program took them too slowly. 0 if none was.
    public var skippedCount = 0
    /// True if the connection to the service is lost; the library reconnects by itself.
    public var serviceUnavailable = false

    init(_ reply: LocationInterface.Subscribe.Reply) {
        location = reply.location
        heading = reply.heading
        diagnostic = reply.diagnostic
        cause = reply.cause
        skippedCount = reply.skipped ?? 0
    }

    private init(serviceUnavailable: Bool) { self.serviceUnavailable = serviceUnavailable }

    /// Returns a stream of location updates from the system's service, as Core Location's
    /// `CLLocationUpdate.liveUpdates()`. While the user stays in one place it pauses, and ``ServiceUpdate/stationary`` is
    /// true.
    ///
    /// ``LocationManager/liveUpdates()`` has filters, and pauses only if it is told to.
    public static func liveUpdates() -> LiveUpdates {
        var manager = LocationManager()
        manager.pausesLocationUpdatesAutomatically = true
        return manager.liveUpdates()
    }

    /// The update that reports a lost connection.
    static let connectionLost = LocationUpdate(serviceUnavailable: true)
}
