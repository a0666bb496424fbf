import LocationInterface
public import LocationModel

/// One element of ``FollowUpdates``: a frame, or what stands in the way of one.
public struct FollowUpdate: ServiceUpdate, Hashable {
    /// The frame to show now.
    public var frame: TrackingFrame?
    /// Why there is no frame, or no exact one; `nil` in an update that has one.
    public var diagnostic: LocationDiagnostic?
    /// The cause of the diagnostic, where more is known.
    public var cause: LocationCause?
    /// How many frames were missed before this one because the program took them too slowly.
    public var skippedCount = 0
    /// The connection to the service was lost; it is being made again.
    public var serviceUnavailable = false

    init(_ reply: LocationInterface.Follow.Reply) {
        frame = reply.frame
        diagnostic = reply.diagnostic
        cause = reply.cause
        skippedCount = reply.skipped ?? 0
    }

    private init(serviceUnavailable: Bool) { self.serviceUnavailable = serviceUnavailable }

    /// The update which says that the connection was lost.
    static let connectionLost = FollowUpdate(serviceUnavailable: true)
}
