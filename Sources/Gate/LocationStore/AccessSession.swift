public import LocationModel
public import LocationPolicy

/// A period of access in the history: client, time, number of locations and their accuracy, but no coordinates.
public struct AccessSession: Hashable, Sendable {
    /// The client and user.
    public let key: ClientKey
    /// The front end that it came by, by its name; `nil` where that was not kept.
    public private(set) var frontEnd: String?
    /// The time of the first location. Together with `key` it identifies the session.
    public private(set) var start: Timestamp
    /// The time of the last location.
    public private(set) var end: Timestamp
    /// The number of locations.
    public private(set) var count: Int
    /// `full` if any of the locations had full accuracy.
    public private(set) var accuracy: AccuracyAuthorization
    /// The smallest `horizontalAccuracy` of the locations, in metres; `nil` if none had one.
    public private(set) var finestRadius: Double?
    /// The kinds of the sources of locations with full accuracy, as far as they were known.
    public var sources: [Location.SourceInformation.Kind] {
        Location.SourceInformation.Kind.allCases.filter { kinds & $0.bit != 0 }
    }
    /// The same, with a bit each.
    private(set) var kinds: Int
    /// The number of events of watched places, and of visits, that were reported to it.
    public private(set) var events = 0
}

extension AccessSession {
    /// A session that begins with one location. Only its radius is kept.
    public init(
        of key: ClientKey, by frontEnd: String? = nil, with location: Location, accuracy: AccuracyAuthorization,
        at now: Timestamp
    ) {
        self.init(
            key: key, frontEnd: frontEnd, start: now, end: now, count: 1, accuracy: accuracy,
            finestRadius: location.horizontalAccuracy, kinds: location.sourceInformation?.kind?.bit ?? 0)
    }

    /// A session that begins with an event of a watched place.
    public init(of key: ClientKey, by frontEnd: String?, withEventAt now: Timestamp) {
        self.init(
            key: key, frontEnd: frontEnd, start: now, end: now, count: 0, accuracy: .full, finestRadius: nil, kinds: 0,
            events: 1)
    }

    /// Adds an event of a watched place to the session.
    public mutating func addEvent(at now: Timestamp) {
        end = max(end, now)
        accuracy = .full
        events += 1
    }

    /// Adds a location to the session.
    public mutating func add(_ location: Location, accuracy: AccuracyAuthorization, at now: Timestamp) {
        end = max(end, now)
        count += 1
        if accuracy == .full { self.accuracy = .full }
        finestRadius = [finestRadius, location.horizontalAccuracy].compactMap(\.self).min()
        kinds |= location.sourceInformation?.kind?.bit ?? 0
    }

    /// Makes this one contain another session of its client, too. The front end is that of both, or unknown.
    mutating func join(_ other: AccessSession) {
        (start, end) = (min(start, other.start), max(end, other.end))
        count += other.count
        if other.accuracy == .full { accuracy = .full }
        finestRadius = [finestRadius, other.finestRadius].compactMap(\.self).min()
        kinds |= other.kinds
        events += other.events
        if frontEnd != other.frontEnd { frontEnd = nil }
    }
}

extension Location.SourceInformation.Kind {
    /// The bit of the kind in the file; it never changes.
    fileprivate var bit: Int {
        switch self {
        case .receiver: 1
        case .modem: 2
        case .wifi: 4
        case .fixed: 8
        case .unknown: 0
        }
    }
}
