/// What a screen that follows the user shows at one moment: where they are by the last fixes, carried on to that moment.
///
/// What is unknown is `nil`, never −1 or NaN.
public struct TrackingFrame: Hashable, Sendable {
    /// The centre: where the user is shown.
    public var coordinate: Coordinate
    /// The radius around `coordinate` that holds the truth with 68 % probability, in metres. It grows while no fix comes.
    public var horizontalAccuracy: Double
    /// The direction of travel over ground, in degrees clockwise from true north, 0 up to 360; while the user stands
    /// still the last one. `nil` as long as they have not moved.
    public var bearing: Double?
    /// Where the nose points, from a compass, in degrees clockwise from true north, 0 up to 360; `nil` without one.
    public var heading: Double?
    /// The speed over ground, in metres a second; never negative.
    public var speed: Double?
    /// Whether the position was carried on from the last fix, rather than measured for this moment.
    public var isPredicted: Bool
    /// The time since the last fix arrived, in seconds.
    public var age: Double
    /// How much ground the screen should show across for this speed, in metres.
    public var span: Double
    /// The moment that the frame shows, on the clock of the receiver's fixes.
    public var timestamp: Timestamp
    /// Where the last fix comes from; `nil` when that is not known or not to be told.
    public var sourceInformation: Location.SourceInformation?

    /// A frame of which the rest is set afterwards: measured now, nothing known of movement.
    public init(coordinate: Coordinate, horizontalAccuracy: Double, span: Double, timestamp: Timestamp) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.span = span
        self.timestamp = timestamp
        isPredicted = false
        age = 0
    }
}
