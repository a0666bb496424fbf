/// Where a receiver was at one moment, how sure it is of that, and how it moved.
///
/// What is unknown is `nil`, never −1 or NaN. Accuracies are one sigma: for the horizontal one the radius of the circle
/// that holds the true position with 68 % probability, for the others the standard deviation.
public struct Location: Hashable, Sendable {
    /// The position on the WGS 84 ellipsoid.
    public var coordinate: Coordinate
    /// Height above mean sea level, in metres.
    public var altitude: Double?
    /// Height above the WGS 84 ellipsoid, in metres.
    public var ellipsoidalAltitude: Double?
    /// The radius around `coordinate` that holds the truth with 68 % probability, in metres.
    public var horizontalAccuracy: Double?
    /// The standard deviation of the altitudes, in metres.
    public var verticalAccuracy: Double?
    /// The direction of travel over ground, in degrees clockwise from true north, 0 up to 360.
    public var course: Double?
    /// The standard deviation of `course`, in degrees.
    public var courseAccuracy: Double?
    /// The speed over ground, in metres a second; never negative.
    public var speed: Double?
    /// The standard deviation of `speed`, in metres a second.
    public var speedAccuracy: Double?
    /// When the receiver was there. A receiver that does not know the time yet is given the time its report arrived.
    public var timestamp: Timestamp
    /// Where the location comes from; `nil` when that is not known or not to be told.
    public var sourceInformation: SourceInformation?

    /// Where a location comes from.
    public struct SourceInformation: Hashable, Sendable {
        /// True when no receiver measured this: a replayed track, a simulator.
        public var isSimulated: Bool
        /// The receiver, as gpsd names it: `/dev/ttyACM0`, `udp://127.0.0.1:20175`.
        public var device: String?

        /// A source that is or is not simulated, at `device` if that is known.
        public init(isSimulated: Bool, device: String? = nil) {
            self.isSimulated = isSimulated
            self.device = device
        }
    }

    /// A location of which nothing but place and time is known; set what else there is.
    public init(coordinate: Coordinate, timestamp: Timestamp) {
        self.coordinate = coordinate
        self.timestamp = timestamp
    }
}
