public import FoundationEssentials
public import LocationModel

extension Timestamp {
    /// The time as Foundation's `Date`, exact to about a quarter of a microsecond for today's dates.
    public var date: Date {
        // In two parts, because a Double has not enough digits for all nanoseconds at once.
        let (seconds, nanoseconds) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9)
    }

    /// Creates a timestamp from Foundation's `Date`, to the microsecond. Dates before 1677 and after 2262 become the
    /// first and the last timestamp.
    public init(_ date: Date) {
        let microseconds = max(-1e16, min(1e16, (date.timeIntervalSince1970 * 1e6).rounded()))
        self = Timestamp(nanosecondsSince1970: 0).advanced(by: .microseconds(Int64(exactly: microseconds) ?? 0))
    }
}
