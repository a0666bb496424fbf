import LocationInterface
public import LocationModel

/// One element of ``LiveUpdates``: a location, a heading, or what stands in the way of them.
public struct LocationUpdate: ServiceUpdate, Hashable {
    /// Where the user is.
    public var location: Location?
    /// Where the nose points.
    public var heading: Heading?
    /// Why there is no location, or no exact one; `nil` in an update that has one.
    public var diagnostic: LocationDiagnostic?
    /// The cause of the diagnostic, where more is known.
    public var cause: LocationCause?
    /// How many locations were missed before this one because the program took them too slowly.
    public var skippedCount = 0
    /// The connection to the service was lost; it is being made again.
    public var serviceUnavailable = false

    init(_ reply: LocationInterface.Subscribe.Reply) {
        location = reply.location
        heading = reply.heading
        diagnostic = reply.diagnostic
        cause = reply.cause
        skippedCount = reply.skipped ?? 0
    }

    private init(serviceUnavailable: Bool) { self.serviceUnavailable = serviceUnavailable }

    /// The update which says that the connection was lost.
    static let connectionLost = LocationUpdate(serviceUnavailable: true)
}
