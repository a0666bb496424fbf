/// The direction in which the bow or front of a vessel, vehicle or device points. The direction of travel is
/// `Location.course`.
public struct Heading: Hashable, Sendable {
    /// Degrees clockwise from true north, 0 up to 360.
    public var trueHeading: Double
    /// Time of the measurement. While the compass does not know the time, the time at which its report arrived.
    public var timestamp: Timestamp
    /// The source of the heading; `nil` when it is unknown or withheld from the client.
    public var sourceInformation: Location.SourceInformation?

    /// A heading at one moment.
    public init(trueHeading: Double, timestamp: Timestamp, sourceInformation: Location.SourceInformation? = nil) {
        self.trueHeading = trueHeading
        self.timestamp = timestamp
        self.sourceInformation = sourceInformation
    }
}
