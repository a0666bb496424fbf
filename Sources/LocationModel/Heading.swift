/// Where the nose of the vessel, vehicle or device points. Not the direction of travel: that is `Location.course`.
public struct Heading: Hashable, Sendable {
    /// Degrees clockwise from true north, 0 up to 360.
    public var trueHeading: Double
    /// When it was measured. A compass that does not know the time is given the time its report arrived.
    public var timestamp: Timestamp
    /// Where the heading comes from; `nil` when that is not known or not to be told.
    public var sourceInformation: Location.SourceInformation?

    /// A heading at a moment.
    public init(trueHeading: Double, timestamp: Timestamp, sourceInformation: Location.SourceInformation? = nil) {
        self.trueHeading = trueHeading
        self.timestamp = timestamp
        self.sourceInformation = sourceInformation
    }
}
