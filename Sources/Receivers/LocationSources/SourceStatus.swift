public import LocationModel

/// The status of a source: its connection, its location or receivers, and its counters.
public struct SourceStatus: Hashable, Sendable {
    /// The state of the connection to the data.
    public enum Connection: String, Hashable, Sendable {
        /// Not needed, and not connected.
        case idle
        /// Connecting to gpsd.
        case connecting
        /// Connected to gpsd, or playing a track.
        case connected
        /// gpsd could not be reached or closed the connection; the next attempt is due shortly.
        case retrying
        /// Shut down.
        case closed
    }

    /// Counts of events that were not reported, from the start of the source.
    public struct Counters: Hashable, Sendable {
        /// Reports with a time before the previous one.
        public var droppedBackward = 0
        /// Reports about an epoch that had already been reported.
        public var lateRefinements = 0
        /// Lines that are not gpsd's protocol: not JSON, too long, without a class, or with a known member of another
        /// type.
        public var rejectedLines = 0
        /// Connections to gpsd after the first one.
        public var reconnects = 0

        /// Counters that have counted nothing.
        public init() {}
    }

    /// The kind of the source.
    public var kind: Location.SourceInformation.Kind
    /// The state of the connection.
    public var connection: Connection
    /// The origin of the data: `127.0.0.1:2947`, `/run/gpsd.sock`, `replay:track.json`; the name of a server; a file.
    public var endpoint: String
    /// True if its locations are the published ones.
    public var isCurrent = false
    /// The age of its fresh location; `nil` without one.
    public var age: Duration?
    /// The accuracy of its fresh location, in metres; `nil` without one, or if it is unknown.
    public var radius: Double?
    /// The number of requests that it has sent to its server today; `nil` if it has none.
    public var requestsToday: Int?
    /// gpsd's release, such as `3.22`; `nil` before its banner.
    public var version: String?
    /// The last error, as a sentence; `nil` without one.
    public var lastError: String?
    /// The known receivers, in the order of their appearance.
    public var receivers: [ReceiverStatus]
    /// The counters.
    public var counters = Counters()

    /// A status with the given values.
    public init(
        kind: Location.SourceInformation.Kind = .receiver, connection: Connection, endpoint: String,
        version: String? = nil, lastError: String? = nil, receivers: [ReceiverStatus] = []
    ) {
        self.kind = kind
        self.connection = connection
        self.endpoint = endpoint
        self.version = version
        self.lastError = lastError
        self.receivers = receivers
    }
}

/// The status of one receiver.
public struct ReceiverStatus: Hashable, Sendable {
    /// The receiver's name according to gpsd, such as `/dev/ttyACM0`; `nil` if its reports have none.
    public var device: String?
    /// gpsd's driver for it, such as `u-blox`; `nil` if unknown.
    public var driver: String?
    /// True if gpsd reads it.
    public var isActivated = true
    /// True if the configuration names it.
    public var isPreferred = false
    /// True if its locations are the reported ones.
    public var isCurrent = false
    /// The kind of fix in its last report.
    public var mode = FixMode.unknown
    /// The number of satellites used; `nil` if unknown.
    public var satellitesUsed: Int?
    /// The number of satellites in view; `nil` if unknown.
    public var satellitesSeen: Int?
    /// The time since its last epoch with a fix began; `nil` without one since locations were needed.
    public var ageOfLastFix: Duration?
    /// The accuracy of its last fix, in metres; `nil` without one, or if it is unknown.
    public var radius: Double?
    /// The learned interval between its fixes; `nil` until it is learned.
    public var epochInterval: Duration?
    /// The difference between this machine's clock and the receiver's at its last report with a time, including the
    /// delay of the report; `nil` before.
    public var clockOffset: Duration?
    /// The satellites it sees, at most ``SatelliteStatus/maximumCount``.
    public var satellites: [SatelliteStatus] = []
    /// The dilution of precision of the horizontal position; `nil` until reported.
    public var horizontalDilution: Double?
    /// The dilution of precision of position and altitude; `nil` until reported.
    public var positionDilution: Double?
    /// What speaks against its positions now; empty for nothing. They are published all the same.
    public var doubts: [SourceDoubt] = []

    /// A receiver of which no more is known.
    public init(device: String?) { self.device = device }
}

/// The kind of a fix. The raw values are gpsd's.
public enum FixMode: Int, Comparable, Hashable, Sendable {
    /// Unknown.
    case unknown = 0
    /// No fix.
    case noFix = 1
    /// Latitude and longitude.
    case twoDimensional = 2
    /// Latitude, longitude and altitude.
    case threeDimensional = 3

    /// True if `lhs` is the lesser fix.
    public static func < (lhs: FixMode, rhs: FixMode) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// One satellite that a receiver sees.
public struct SatelliteStatus: Hashable, Sendable {
    /// The most that are kept of one receiver; more are not above any horizon.
    public static let maximumCount = 64

    /// Its number, as gpsd counts them over all systems: 1 to 32 is GPS, 65 to 96 GLONASS, 301 to 336 Galileo.
    public var number: Int
    /// True if the solution uses it.
    public var isUsed: Bool
    /// The strength of its signal, in dBHz; `nil` when the receiver has not said.
    public var signal: Double?
}
