public import LocationModel

/// A stay at a place. Named after Core Location's `CLVisit`.
public struct Visit: Hashable, Sendable {
    /// The middle of the place: the mean of the fixes there.
    public var coordinate: Coordinate
    /// The radius around `coordinate` in which the place is, in metres.
    public var horizontalAccuracy: Double
    /// The time of arrival: that of the first fix there.
    public var arrivalDate: Timestamp
    /// The time of departure: that of the last fix there; `nil` while the visit lasts.
    public var departureDate: Timestamp?

    /// A visit.
    public init(
        coordinate: Coordinate, horizontalAccuracy: Double, arrivalDate: Timestamp, departureDate: Timestamp? = nil
    ) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.arrivalDate = arrivalDate
        self.departureDate = departureDate
    }
}
