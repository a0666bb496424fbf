import LocationInterface
public import LocationModel

/// One element of ``LiveUpdates``: a location, a heading, or the reason for its absence.
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

    /// An update with these members, for tests of what receives updates.
    public init(
        location: Location? = nil, heading: Heading? = nil, diagnostic: LocationDiagnostic? = nil,
        cause: LocationCause? = nil, skippedCount: Int = 0, serviceUnavailable: Bool = false
    ) {
        (self.location, self.heading) = (location, heading)
        (self.diagnostic, self.cause) = (diagnostic, cause)
        (self.skippedCount, self.serviceUnavailable) = (skippedCount, serviceUnavailable)
    }

    /// The kind of movement that a program follows (Core Location's `CLLocationUpdate.LiveConfiguration`). It sets the filters of
    /// the stream; the service's model of movement is the same for all.
    public enum LiveConfiguration: Hashable, Sendable, CaseIterable {
        /// Pauses while the user stays in one place.
        case `default`
        /// By car: all locations, without pauses.
        case automotiveNavigation
        /// By boat, train or other means: all locations, without pauses.
        case otherNavigation
        /// On foot or by bicycle: all locations; pauses while the user rests.
        case fitness
        /// In the air: all locations, without pauses.
        case airborne

        var pauses: Bool {
            switch self {
            case .default, .fitness: true
            case .automotiveNavigation, .otherNavigation, .airborne: false
            }
        }
    }

    /// Returns a stream of location updates, as Core Location's `CLLocationUpdate.liveUpdates(_:)`. Where the configuration
    /// pauses while the user stays in one place, ``ServiceUpdate/stationary`` is true meanwhile.
    ///
    /// With the default configuration it is the stream of ``LocationManager/liveUpdates()``, of a manager whose properties have
    /// their defaults.
    ///
    /// - Parameters:
    ///   - configuration: The kind of movement.
    ///   - socketPath: The path of the service's socket; see ``LocationManager/init(socketPath:)``.
    public static func liveUpdates(
        _ configuration: LiveConfiguration = .default, socketPath: String? = nil
    ) -> LiveUpdates {
        var manager = LocationManager(socketPath: socketPath)
        manager.pausesLocationUpdatesAutomatically = configuration.pauses
        return manager.liveUpdates()
    }

    /// The update that reports a lost connection.
    static let connectionLost = LocationUpdate(serviceUnavailable: true)
}
