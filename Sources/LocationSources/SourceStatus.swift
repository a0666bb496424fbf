/// What a source is doing, what it hears of which receivers, and what it had to drop.
public struct SourceStatus: Hashable, Sendable {
    /// How far the way to the source's data is open.
    public enum Connection: String, Hashable, Sendable {
        /// Not needed, and not connected.
        case idle
        /// On the way to gpsd.
        case connecting
        /// Talking with gpsd, or playing a track.
        case connected
        /// gpsd could not be reached or went away; the next attempt is due shortly.
        case retrying
        /// Shut down.
        case closed
    }

    /// What happened that was not passed on. All count from the start of the source.
    public struct Counters: Hashable, Sendable {
        /// Reports whose time was before one that had been heard already.
        public var droppedBackward: Int
        /// Reports about an epoch that had already been told.
        public var lateRefinements: Int
        /// Lines that are not gpsd's protocol: no JSON, too long, no class, a known member of another type.
        public var rejectedLines: Int
        /// Connections to gpsd that were made after the first one.
        public var reconnects: Int

        /// Nothing dropped so far, or as much as is given.
        public init(droppedBackward: Int = 0, lateRefinements: Int = 0, rejectedLines: Int = 0, reconnects: Int = 0) {
            self.droppedBackward = droppedBackward
            self.lateRefinements = lateRefinements
            self.rejectedLines = rejectedLines
            self.reconnects = reconnects
        }
    }

    /// How far the way to the data is open.
    public var connection: Connection
    /// Where the data comes from: `127.0.0.1:2947`, `/run/gpsd.sock`, `replay:track.json`.
    public var endpoint: String
    /// The release that gpsd gave as its own, such as `3.22`; `nil` before it has.
    public var gpsdVersion: String?
    /// What went wrong last, as a sentence; `nil` when nothing has.
    public var lastError: String?
    /// The receivers heard of, in the order in which they appeared.
    public var receivers: [ReceiverStatus]
    /// What was dropped.
    public var counters: Counters

    /// A status of a source that knows of nothing but its connection, unless more is given.
    public init(
        connection: Connection, endpoint: String, gpsdVersion: String? = nil, lastError: String? = nil,
        receivers: [ReceiverStatus] = [], counters: Counters = Counters()
    ) {
        self.connection = connection
        self.endpoint = endpoint
        self.gpsdVersion = gpsdVersion
        self.lastError = lastError
        self.receivers = receivers
        self.counters = counters
    }
}

/// What is known of one receiver.
public struct ReceiverStatus: Hashable, Sendable {
    /// The receiver, as gpsd names it: `/dev/ttyACM0`; `nil` when the reports do not say.
    public var device: String?
    /// The protocol driver which gpsd chose, such as `u-blox`; `nil` when it has not said.
    public var driver: String?
    /// True when gpsd reads it.
    public var isActivated: Bool
    /// True when it is the one that the configuration names.
    public var isPreferred: Bool
    /// True when its locations are the ones that are told.
    public var isCurrent: Bool
    /// What kind of fix its last report had.
    public var mode: FixMode
    /// How many satellites its solution uses; `nil` when it has not said.
    public var satellitesUsed: Int?
    /// How many satellites it sees; `nil` when it has not said.
    public var satellitesSeen: Int?
    /// How long ago its last epoch with a fix began; `nil` when there was none since the need arose.
    public var ageOfLastFix: Duration?
    /// The time from one epoch with a fix to the next, as learned; `nil` until it is.
    public var epochInterval: Duration?
    /// By how much the clock of this machine was ahead of the receiver's when that last told the time, which the way of
    /// the report is part of; `nil` when it has not.
    public var clockOffset: Duration?

    /// A receiver of which nothing is known but its name, unless more is given.
    public init(
        device: String?, driver: String? = nil, isActivated: Bool = true, isPreferred: Bool = false,
        isCurrent: Bool = false, mode: FixMode = .unknown, satellitesUsed: Int? = nil, satellitesSeen: Int? = nil,
        ageOfLastFix: Duration? = nil, epochInterval: Duration? = nil, clockOffset: Duration? = nil
    ) {
        self.device = device
        self.driver = driver
        self.isActivated = isActivated
        self.isPreferred = isPreferred
        self.isCurrent = isCurrent
        self.mode = mode
        self.satellitesUsed = satellitesUsed
        self.satellitesSeen = satellitesSeen
        self.ageOfLastFix = ageOfLastFix
        self.epochInterval = epochInterval
        self.clockOffset = clockOffset
    }
}

/// What a receiver says it knows of its position. The raw values are gpsd's.
public enum FixMode: Int, Comparable, Hashable, Sendable {
    /// It has not said.
    case unknown = 0
    /// It has no fix.
    case noFix = 1
    /// Latitude and longitude.
    case twoDimensional = 2
    /// Latitude, longitude and altitude.
    case threeDimensional = 3

    /// True when `lhs` knows less.
    public static func < (lhs: FixMode, rhs: FixMode) -> Bool { lhs.rawValue < rhs.rawValue }
}
