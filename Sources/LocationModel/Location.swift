/// One position fix: position, accuracy and motion of a receiver at one moment.
///
/// Unknown values are `nil`, never −1 or NaN. Accuracies are one sigma: `horizontalAccuracy` is the radius of the
/// circle that holds the true position with 68 % probability, the others are standard deviations.
public struct Location: Hashable, Sendable {
    /// The position on the WGS 84 ellipsoid.
    public var coordinate: Coordinate
    /// Height above mean sea level, in metres.
    public var altitude: Double?
    /// Height above the WGS 84 ellipsoid, in metres.
    public var ellipsoidalAltitude: Double?
    /// The radius around `coordinate` that holds the true position with 68 % probability, in metres.
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
    /// Time of the fix. While the receiver does not know the time, the time at which its report arrived.
    public var timestamp: Timestamp
    /// The source of the location; `nil` when it is unknown or withheld from the client.
    public var sourceInformation: SourceInformation?

    /// The source of a location.
    public struct SourceInformation: Hashable, Sendable {
        /// True when no receiver measured the location, but a replay or a simulator produced it.
        public var isSimulated: Bool
        /// The receiver, as gpsd names it: `/dev/ttyACM0`, `udp://127.0.0.1:20175`.
        public var device: String?

        /// A source, simulated or not, with the name of its device if that is known.
        public init(isSimulated: Bool, device: String? = nil) {
            self.isSimulated = isSimulated
            self.device = device
        }
    }

    /// A location with a position and a time; all other values start as `nil`.
    public init(coordinate: Coordinate, timestamp: Timestamp) {
        self.coordinate = coordinate
        self.timestamp = timestamp
    }

    /// Creates a location at a position written as literals, with the time now; all other values start as `nil`.
    ///
    /// - Precondition: The latitude is within −90…90 and the longitude within −180…180.
    public init(latitude: Coordinate.LiteralDegrees, longitude: Coordinate.LiteralDegrees) {
        self.init(coordinate: Coordinate(latitude: latitude, longitude: longitude), timestamp: .now())
    }

    /// Creates a location at a position in degrees, with the time now, or returns `nil` if a value is NaN or out of
    /// range; all other values start as `nil`.
    @_disfavoredOverload
    public init?<Degrees: BinaryFloatingPoint>(latitude: Degrees, longitude: Degrees) {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        self.init(coordinate: coordinate, timestamp: .now())
    }

    /// Returns the geodesic distance to `location`, in metres. Altitudes do not count.
    public func distance(from location: Location) -> Double { coordinate.distance(to: location.coordinate) }
}
