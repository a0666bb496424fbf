package import LocationModel

/// A position to send.
package struct ShareRecord: Hashable, Sendable {
    package var location: Location
    /// True if it is approximate, by the authorization or by the share.
    package var isReduced: Bool
    /// The number in the queue, from 1; `nil` if it is not queued.
    package var sequence: Int64?
    /// The heading in degrees from true north, for a bridge; `nil` if it is unknown.
    package var heading: Double?

    /// The accuracy that is written for an unknown one, in metres: some services drop a position without one, or with 0.
    package static let unknownAccuracy = 50.0

    /// The horizontal accuracy in metres, ``unknownAccuracy`` if it is unknown.
    var accuracy: Double { location.horizontalAccuracy ?? Self.unknownAccuracy }

    /// A record of a location. Its time is cut to milliseconds, as a queue keeps it: services know a position by its time.
    package init(_ location: Location, isReduced: Bool = false, sequence: Int64? = nil) {
        (self.location, self.isReduced, self.sequence) = (location, isReduced, sequence)
        let nanoseconds = location.timestamp.nanosecondsSince1970
        self.location.timestamp = Timestamp(nanosecondsSince1970: nanoseconds - nanoseconds % 1_000_000)
    }
}

/// A message to a service.
package enum ShareMessage: Hashable, Sendable {
    /// Positions, the oldest first: one, unless the service takes batches.
    case positions([ShareRecord])
    /// The end: the service is to forget the position.
    case end(at: Timestamp)
    /// A test that changes nothing at the service.
    case test(at: Timestamp)
}
