/// One frame of a smoothly animated position: the predicted position and motion of the user at one moment.
///
/// Unknown values are `nil`, never −1 or NaN.
public struct TrackingFrame: Hashable, Sendable {
    /// The predicted position of the user.
    public var coordinate: Coordinate
    /// The radius around `coordinate` that contains the true position with 68 % probability, in metres. It grows while
    /// no fix arrives.
    public var horizontalAccuracy: Double
    /// The direction of travel over ground, in degrees clockwise from true north, 0 up to 360; the last known one while
    /// the user is at rest, and `nil` before the first.
    public var bearing: Double?
    /// The compass heading of the device, in degrees clockwise from true north, 0 up to 360; `nil` without a compass.
    public var heading: Double?
    /// The speed over ground, in metres a second, 0 or more; `nil` if unknown.
    public var speed: Double?
    /// The height of the last fix above mean sea level, in metres; `nil` if unknown.
    public var altitude: Double?
    /// True if the position is extrapolated from the last fix, false if it was measured for this moment.
    public var isPredicted: Bool
    /// The time since the last fix arrived.
    public var age: Duration
    /// The recommended width of the visible area at this speed, in metres.
    public var span: Double
    /// The time of the frame, on the clock of the receiver's fixes.
    public var timestamp: Timestamp
    /// The source of the last fix; `nil` when it is unknown or withheld from the client.
    public var sourceInformation: Location.SourceInformation?

    /// Creates a frame without motion that is not predicted; set the other values afterwards.
    public init(coordinate: Coordinate, horizontalAccuracy: Double, span: Double, timestamp: Timestamp) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.span = span
        self.timestamp = timestamp
        isPredicted = false
        age = .zero
    }
}
