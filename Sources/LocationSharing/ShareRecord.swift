package import LocationModel

/// A position to send.
package struct ShareRecord: Hashable, Sendable {
    /// The location.
    package var location: Location
    /// True if it is approximate, by the authorization or by the share.
    package var isReduced: Bool

    /// The accuracy that is written for an unknown one, in metres: some services drop a position without one, or with 0.
    package static let unknownAccuracy = 50.0

    /// The horizontal accuracy in metres, ``unknownAccuracy`` if it is unknown.
    var accuracy: Double { location.horizontalAccuracy ?? Self.unknownAccuracy }

    /// A record of a location.
    package init(_ location: Location, isReduced: Bool = false) {
        (self.location, self.isReduced) = (location, isReduced)
    }
}

/// A message to a service.
package enum ShareMessage: Hashable, Sendable {
    /// A position.
    case position(ShareRecord)
    /// The end: the service is to forget the position.
    case end(at: Timestamp)
    /// A test that changes nothing at the service.
    case test(at: Timestamp)
}
