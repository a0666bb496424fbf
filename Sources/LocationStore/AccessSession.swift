public import LocationModel
public import LocationPolicy

/// That a client was given locations for a while: who, when, how many and how exact, but not which.
public struct AccessSession: Hashable, Sendable {
    /// Who was given them.
    public let key: ClientKey
    /// The door that it came by, by its name; `nil` where that was not kept.
    public let door: String?
    /// When the first one was given. With `key` it is what tells sessions apart.
    public let start: Timestamp
    /// When the last one was given.
    public private(set) var end: Timestamp
    /// How many there were.
    public private(set) var count: Int
    /// Full when any of them was.
    public private(set) var accuracy: AccuracyAuthorization
    /// The smallest `horizontalAccuracy` among them, in metres; `nil` when none had one.
    public private(set) var finestRadius: Double?

    /// A session that begins with one location, of which only the radius is looked at.
    public init(
        of key: ClientKey, by door: String? = nil, with location: Location, accuracy: AccuracyAuthorization,
        at now: Timestamp
    ) {
        self.init(
            key: key, door: door, start: now, end: now, count: 1, accuracy: accuracy,
            finestRadius: location.horizontalAccuracy)
    }

    /// One more location was given.
    public mutating func add(_ location: Location, accuracy: AccuracyAuthorization, at now: Timestamp) {
        end = max(end, now)
        count += 1
        if accuracy == .full { self.accuracy = .full }
        finestRadius = [finestRadius, location.horizontalAccuracy].compactMap(\.self).min()
    }

    init(
        key: ClientKey, door: String?, start: Timestamp, end: Timestamp, count: Int, accuracy: AccuracyAuthorization,
        finestRadius: Double?
    ) {
        self.key = key
        self.door = door
        self.start = start
        self.end = end
        self.count = count
        self.accuracy = accuracy
        self.finestRadius = finestRadius
    }
}
