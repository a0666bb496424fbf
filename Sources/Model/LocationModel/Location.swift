/// A location: position, accuracy and motion of a receiver at one moment.
///
/// Unknown values are `nil`, never −1 or NaN. Accuracies are one sigma: `horizontalAccuracy` is the radius of the
/// circle that contains the true position with 68 % probability, the others are standard deviations.
public struct Location: Hashable, Sendable {
    /// The position on the WGS 84 ellipsoid.
    public var coordinate: Coordinate
    /// The height above mean sea level, in metres; `nil` if unknown.
    public var altitude: Double?
    /// The height above the WGS 84 ellipsoid, in metres; `nil` if unknown.
    public var ellipsoidalAltitude: Double?
    /// The radius around `coordinate` that contains the true position with 68 % probability, in metres; `nil` if
    /// unknown.
    public var horizontalAccuracy: Double?
    /// The standard deviation of the altitudes, in metres; `nil` if unknown.
    public var verticalAccuracy: Double?
    /// The direction of travel over ground, in degrees clockwise from true north, 0 up to 360; `nil` if unknown, as at
    /// rest.
    public var course: Double?
    /// The standard deviation of `course`, in degrees; `nil` if unknown.
    public var courseAccuracy: Double?
    /// The speed over ground, in metres a second, 0 or more; `nil` if unknown.
    public var speed: Double?
    /// The standard deviation of `speed`, in metres a second; `nil` if unknown.
    public var speedAccuracy: Double?
    /// How the receiver has computed the position; `nil` if it is unknown, and for approximate locations.
    public var fixType: FixType?
    /// The time of the fix; the time of arrival of its report while the receiver does not know the time.
    public var timestamp: Timestamp
    /// The source of the location; `nil` when it is unknown or withheld from the client.
    public var sourceInformation: SourceInformation?

    /// The way in which a satellite receiver computes a position (gpsd's `status`, the quality of NMEA's GGA).
    public enum FixType: OpenEnumeration {
        /// By satellites alone.
        case standard
        /// With corrections of SBAS or another differential service.
        case differential
        /// By the precise code of military receivers.
        case precise
        /// By real-time kinematics whose ambiguities are not resolved yet: decimetres.
        case rtkFloat
        /// By real-time kinematics with resolved ambiguities: centimetres.
        case rtkFixed
        /// By dead reckoning, without satellites.
        case deadReckoning
        /// By satellites and dead reckoning.
        case combined
        /// Surveyed, of a receiver that stands still to give the time.
        case surveyed
        /// A case of a later release, by its name in the interface.
        case unknown(String)

        /// The cases of this release.
        public static let allCases: [Self] = [
            .standard, .differential, .precise, .rtkFloat, .rtkFixed, .deadReckoning, .combined, .surveyed,
        ]

        /// The name in the interface.
        public var rawValue: String {
            switch self {
            case .standard: "standard"
            case .differential: "differential"
            case .precise: "precise"
            case .rtkFloat: "rtkFloat"
            case .rtkFixed: "rtkFixed"
            case .deadReckoning: "deadReckoning"
            case .combined: "combined"
            case .surveyed: "surveyed"
            case .unknown(let name): name
            }
        }
    }

    /// The source of a location.
    public struct SourceInformation: Hashable, Codable, Sendable {
        /// The kind of a source.
        public enum Kind: OpenEnumeration {
            /// A satellite receiver that gpsd reads.
            case receiver
            /// The satellite receiver in a modem.
            case modem
            /// The Wi-Fi access points nearby, whose places a server knows.
            case wifi
            /// The position that the administrator has set for a machine that does not move.
            case fixed
            /// A case of a later release, by its name in the interface.
            case unknown(String)

            /// The cases of this release.
            public static let allCases: [Self] = [.receiver, .modem, .wifi, .fixed]

            /// The name in the interface.
            public var rawValue: String {
                switch self {
                case .receiver: "receiver"
                case .modem: "modem"
                case .wifi: "wifi"
                case .fixed: "fixed"
                case .unknown(let name): name
                }
            }

            /// True for a fixed position. A pattern, because every delivery asks, and `==` compares the names.
            package var isFixed: Bool { if case .fixed = self { true } else { false } }

            /// True for the kinds that measure by satellites.
            package var isReceiver: Bool {
                switch self {
                case .receiver, .modem: true
                case .wifi, .fixed, .unknown: false
                }
            }
        }

        /// The kind of the source; `nil` if unknown.
        public var kind: Kind?
        /// True if a replay or a simulator produced the location, rather than a receiver.
        public var isSimulated: Bool
        /// True if the receiver is not part of the machine: one on USB or Bluetooth, or another device on the network.
        public var isProducedByAccessory: Bool
        /// The receiver as gpsd names it, such as `/dev/ttyACM0` or `udp://127.0.0.1:20175`; `nil` if unknown.
        public var device: String?

        /// Creates a source, with the name of its device if it is known.
        public init(
            kind: Kind? = nil, isSimulated: Bool = false, isProducedByAccessory: Bool = false, device: String? = nil
        ) {
            self.kind = kind
            self.isSimulated = isSimulated
            self.isProducedByAccessory = isProducedByAccessory
            self.device = device
        }
    }

    /// Creates a location with a position and a time; all other values are `nil`.
    public init(coordinate: Coordinate, timestamp: Timestamp) {
        self.coordinate = coordinate
        self.timestamp = timestamp
    }

    /// Creates a location from degrees written as literals, with the time now; all other values are `nil`.
    ///
    /// - Precondition: The latitude is within −90…90 and the longitude within −180…180.
    public init(latitude: Coordinate.LiteralDegrees, longitude: Coordinate.LiteralDegrees) {
        self.init(coordinate: Coordinate(latitude: latitude, longitude: longitude), timestamp: .now())
    }

    /// Creates a location from degrees, with the time now, or returns `nil` if a value is NaN or out of range; all
    /// other values are `nil`.
    @_disfavoredOverload
    public init?<Degrees: BinaryFloatingPoint>(latitude: Degrees, longitude: Degrees) {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        self.init(coordinate: coordinate, timestamp: .now())
    }

    /// Returns the geodesic distance to `location`, in metres. Altitudes do not count.
    public func distance(from location: Location) -> Double { coordinate.distance(to: location.coordinate) }
}
