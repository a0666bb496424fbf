import Glibc
public import LocationModel

/// A day of the week.
public enum Weekday: Int, Hashable, Sendable, CaseIterable, Comparable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// True if `lhs` comes earlier in a week that starts on Monday.
    public static func < (lhs: Weekday, rhs: Weekday) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A reading of the wall clock: the day of the week and the time of day.
public struct LocalTime: Hashable, Sendable {
    static let secondsOfDay = 86_400
    static let secondsOfWeek = 7 * secondsOfDay

    /// The seconds since Monday 00:00 on the wall clock, 0 up to 604800.
    public let secondOfWeek: Int

    /// The wall clock's reading at `timestamp`.
    ///
    /// - Parameter utcOffset: the seconds by which local time is ahead of UTC at that moment.
    public init(_ timestamp: Timestamp, utcOffset: Int) {
        let seconds = Int(timestamp.nanosecondsSince1970.flooredDivision(by: 1_000_000_000)) + utcOffset
        // 1970-01-01 was a Thursday.
        secondOfWeek = (seconds + 3 * Self.secondsOfDay).flooredRemainder(by: Self.secondsOfWeek)
    }

    /// A time of day; `minute` 0 up to 1440.
    public init(_ day: Weekday, minute: Int) {
        secondOfWeek = (day.rawValue * Self.secondsOfDay + minute * 60).flooredRemainder(by: Self.secondsOfWeek)
    }

    /// The seconds by which local time is ahead of UTC at `timestamp`, in the system's time zone.
    @Sendable public static func systemOffset(at timestamp: Timestamp) -> Int {
        var seconds = time_t(timestamp.secondsSince1970.rounded(.down))
        var local = tm()
        return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
    }
}

/// Hours of some days of the week, on the wall clock.
///
/// The wall clock alone decides: hours that daylight saving time skips do not occur, and hours that it repeats count twice.
public struct WeeklyHours: Hashable, Sendable {
    /// The days on which the hours start.
    public let days: Set<Weekday>
    /// The minute of the day at which the hours start, 0 up to 1440.
    public let start: Int
    /// The minute of the day at which they end, 0 up to 1440; not after `start` if they end on the next day.
    public let end: Int

    /// The hours from `start` up to `end`; without both, whole days. Returns `nil` for minutes outside of 0 up to 1440, and for
    /// equal ones other than 0.
    public init?(from start: Int = 0, to end: Int = 0, on days: Set<Weekday> = Set(Weekday.allCases)) {
        guard (0..<1440).contains(start), (0..<1440).contains(end), start != end || start == 0 else { return nil }
        (self.start, self.end, self.days) = (start, end, days)
    }

    /// True for all hours of all days.
    public var isAlways: Bool { start == end && days.count == 7 }

    /// The length in seconds.
    private var length: Int { ((end - start + 1439) % 1440 + 1) * 60 }

    /// True if the wall clock's reading is within the hours.
    public func contains(_ time: LocalTime) -> Bool {
        days.contains { day in
            (time.secondOfWeek - LocalTime(day, minute: start).secondOfWeek)
                .flooredRemainder(by: LocalTime.secondsOfWeek) < length
        }
    }

    /// The seconds of the week at which the hours start or end.
    private var borders: [Int] {
        days.flatMap { day in
            let start = LocalTime(day, minute: start).secondOfWeek
            return [start, (start + length).flooredRemainder(by: LocalTime.secondsOfWeek)]
        }
    }

    /// The next moment at which one of the conditions may change: a border on the wall clock, or a change of the offset from
    /// UTC before that. `nil` without hours that start or end.
    ///
    /// A timer for it must follow the system's clock and must be set again when that clock is set, when the time zone
    /// changes, and after each change.
    ///
    /// - Parameter utcOffset: the seconds by which local time is ahead of UTC at a moment. It may change at most once in an
    ///   hour.
    public static func nextChange(
        of hours: some Sequence<WeeklyHours>, after now: Timestamp, utcOffset: (Timestamp) -> Int
    ) -> Timestamp? {
        let time = LocalTime(now, utcOffset: utcOffset(now)).secondOfWeek
        let waits = hours.flatMap(\.borders).map {
            ($0 - time - 1).flooredRemainder(by: LocalTime.secondsOfWeek) + 1
        }
        guard let wait = waits.min() else { return nil }
        let second = now.nanosecondsSince1970.flooredDivision(by: 1_000_000_000)
        func moment(_ wait: Int) -> Timestamp { Timestamp(secondsSince1970: second + Int64(wait)) }
        // The first hour in which the offset changes, and then the second.
        let offset = utcOffset(now)
        for hour in stride(from: 0, to: wait, by: 3600) {
            var (before, after) = (hour, min(hour + 3600, wait))
            guard utcOffset(moment(after)) != offset else { continue }
            while after - before > 1 {
                let middle = (before + after) / 2
                if utcOffset(moment(middle)) == offset { before = middle } else { after = middle }
            }
            return moment(after)
        }
        return moment(wait)
    }
}
