package import LocationModel
import NIOCore

/// A location from the source, or a reduced one. All recipients share the object, so that a front end encodes it once.
package final class Publication {
    package let location: Location
    /// The time of its arrival.
    let arrival: NIODeadline
    /// The number of the source's report; a reduced location has that of the exact one.
    let number: UInt64
    /// The position that rules about places look at: that of the exact location.
    let position: Position
    /// The end of the time in which it is the newest reduced location; `nil` for an exact one.
    let expiry: NIODeadline?

    /// The time at which its source would report that it has gone stale, if nothing else came; `nil` if that is not known.
    let staleAt: NIODeadline?

    /// The time until which it stays current if nothing else comes.
    var currentUntil: NIODeadline { staleAt ?? arrival + Gate.lifetime }

    /// True for the fixed position.
    var isFixed: Bool { location.sourceInformation?.kind?.isFixed == true }

    /// A location.
    ///
    /// - Parameter exact: the location from which a reduced one was made; `nil` for an exact one.
    init(
        _ location: Location, arrival: NIODeadline, number: UInt64, expiry: NIODeadline? = nil,
        staleAt: NIODeadline? = nil, from exact: Publication? = nil
    ) {
        self.staleAt = staleAt
        position = exact?.position ?? Position(location.coordinate, accuracy: location.horizontalAccuracy)
        self.expiry = expiry
        self.location = location
        self.arrival = arrival
        self.number = number
    }
}
