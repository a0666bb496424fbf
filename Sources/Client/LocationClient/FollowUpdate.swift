import LocationInterface
public import LocationModel

/// One element of ``FollowUpdates``: a frame, or the reason for its absence.
public struct FollowUpdate: ServiceUpdate, Hashable {
    /// The frame to show now; `nil` while there is no location.
    public var frame: TrackingFrame?
    /// The reason for a missing or inexact frame; `nil` if the update has an exact one.
    public var diagnostic: LocationDiagnostic?
    /// The cause of ``diagnostic`` with a sentence for people; `nil` if the service names none.
    public var cause: LocationCause?
    /// The number of frames dropped before this one because the program took them too slowly. 0 if none was.
    public var skippedCount = 0
    /// True if the connection to the service is lost; the library reconnects by itself.
    public var serviceUnavailable = false

    init(_ reply: LocationInterface.Follow.Reply) {
        frame = reply.frame
        diagnostic = reply.diagnostic
        cause = reply.cause
        skippedCount = reply.skipped ?? 0
    }

    /// An update with these members, for tests of what receives updates.
    public init(
        frame: TrackingFrame? = nil, diagnostic: LocationDiagnostic? = nil, cause: LocationCause? = nil,
        skippedCount: Int = 0, serviceUnavailable: Bool = false
    ) {
        self.frame = frame
        (self.diagnostic, self.cause) = (diagnostic, cause)
        (self.skippedCount, self.serviceUnavailable) = (skippedCount, serviceUnavailable)
    }

    /// The update that reports a lost connection.
    static let connectionLost = FollowUpdate(serviceUnavailable: true)
}
