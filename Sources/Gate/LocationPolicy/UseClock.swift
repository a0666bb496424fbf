public import LocationModel

/// The clock that measures for how long programs were not given a location.
///
/// It counts the wall clock's time as far as the service can observe it. While the machine was off, the wall clock was set
/// forward, or an old copy of the database was put back, the use of programs is unknown, so no more than
/// ``longestGap`` counts between two readings. A wall clock that is set back counts again when it has caught up.
public struct UseClock: Hashable, Sendable {
    /// The most that counts between two readings, in seconds: a machine that is used at least once a week counts fully.
    public static let longestGap: Int64 = 7 * 86_400

    /// The counted time, in seconds.
    public private(set) var counted: Int64
    /// The latest time of the wall clock that was read.
    public private(set) var reading: Timestamp

    /// A clock with this state.
    public init(counted: Int64 = 0, reading: Timestamp) { (self.counted, self.reading) = (counted, reading) }

    /// Counts the time since the last reading.
    public mutating func advance(to now: Timestamp) {
        guard now > reading else { return }
        // The rest of a second counts at the next reading.
        let seconds = now.duration(since: reading).components.seconds
        guard seconds > 0 else { return }
        counted += min(seconds, Self.longestGap)
        reading = seconds > Self.longestGap ? now : reading.advanced(by: .seconds(seconds))
    }

    /// The whole days since a value of ``counted``.
    public func days(since use: Int64) -> Int { Int(max(0, counted - use) / 86_400) }
}
