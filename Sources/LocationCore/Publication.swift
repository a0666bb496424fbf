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

    /// True for the fixed position.
    var isFixed: Bool { location.sourceInformation?.kind == .fixed }

    /// A location.
    ///
    /// - Parameter exact: the location from which a reduced one was made; `nil` for an exact one.
    init(
        _ location: Location, arrival: NIODeadline, number: UInt64, expiry: NIODeadline? = nil,
        from exact: Publication? = nil
    ) {
        position = exact?.position ?? Position(location.coordinate, accuracy: location.horizontalAccuracy)
        self.expiry = expiry
        self.location = location
        self.arrival = arrival
        self.number = number
    }
}
