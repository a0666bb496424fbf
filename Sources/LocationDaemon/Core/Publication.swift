import LocationModel
import NIOCore

/// One location that the source reported, or a rough one made from it. One object for all who get it, so that a door
/// encodes it once.
final class Publication {
    let location: Location
    /// When it came.
    let arrival: NIODeadline
    /// Counts what the source reported; a rough location has the number of the exact one.
    let number: UInt64

    init(_ location: Location, arrival: NIODeadline, number: UInt64) {
        self.location = location
        self.arrival = arrival
        self.number = number
    }
}
