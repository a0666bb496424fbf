/// The compass heading: the direction of the bow of a vessel, or of the front of a vehicle or device. The direction of
/// travel is `Location.course`.
public struct Heading: Hashable, Codable, Sendable {
    /// The heading, in degrees clockwise from true north, 0 up to 360.
    public var trueHeading: Double
    /// The time of the measurement; the time of arrival of its report while the compass does not know the time.
    public var timestamp: Timestamp
    /// The source of the heading; `nil` when it is unknown or withheld from the client.
    public var sourceInformation: Location.SourceInformation?

    /// Creates a heading at one moment.
    public init(trueHeading: Double, timestamp: Timestamp, sourceInformation: Location.SourceInformation? = nil) {
        self.trueHeading = trueHeading
        self.timestamp = timestamp
        self.sourceInformation = sourceInformation
    }
}
