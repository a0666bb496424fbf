import Glibc

/// A point in time in UTC, as nanoseconds since 1970-01-01T00:00:00Z without leap seconds (POSIX time).
///
/// `LocationClient` converts it to and from Foundation's `Date`; the model itself does not import Foundation. An
/// `Int64` covers the years 1678 to 2262. The text form is ISO 8601 in UTC, as in gpsd's reports and in the Varlink
/// interface.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z; negative before.
    public var nanosecondsSince1970: Int64

    /// Creates the time this many nanoseconds after 1970-01-01T00:00:00Z.
    public init(nanosecondsSince1970: Int64) {
        self.nanosecondsSince1970 = nanosecondsSince1970
    }

    /// Creates the time of a clock (`timespec`). Times outside the range become the first or the last timestamp.
    public init(secondsSince1970 seconds: Int64, nanoseconds: Int64 = 0) {
        self = Timestamp(nanosecondsSince1970: 0).advanced(by: .seconds(seconds) + .nanoseconds(nanoseconds))
    }

    /// Returns the time of the system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(secondsSince1970: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// The seconds since 1970-01-01T00:00:00Z, exact to about a quarter of a microsecond for today's dates.
    public var secondsSince1970: Double { Double(nanosecondsSince1970) / 1e9 }

    /// True if `lhs` is the earlier of the two.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.nanosecondsSince1970 < rhs.nanosecondsSince1970
    }

    /// Returns the time from `other` to this one; negative if this one is earlier. Times outside the range of `Int64`
    /// nanoseconds are clamped to it.
    public func duration(since other: Timestamp) -> Duration {
        let (difference, overflow) = nanosecondsSince1970.subtractingReportingOverflow(other.nanosecondsSince1970)
        return .nanoseconds(overflow ? (self < other ? .min : .max) : difference)
    }

    /// Returns the time that is `duration` later. Times outside the range become the first or the last timestamp.
    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (result, overflowOfResult) = nanosecondsSince1970.addingReportingOverflow(sum)
        if overflow || overflowOfSum || overflowOfResult {
            return Timestamp(nanosecondsSince1970: seconds < 0 ? .min : .max)
        }
        return Timestamp(nanosecondsSince1970: result)
    }
}

extension Timestamp: Codable {
    /// Reads ISO 8601 in UTC.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let timestamp = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text)” is not a time in UTC such as 2026-11-21T08:30:00.000Z")
        }
        self = timestamp
    }

    /// Writes ISO 8601 in UTC.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time in ISO 8601 in UTC, with 3, 6 or 9 decimals as needed: `2026-11-21T08:30:00.000Z`.
    public var description: String {
        let nanoseconds = nanosecondsSince1970.flooredRemainder(by: 1_000_000_000)
        let seconds = nanosecondsSince1970.flooredDivision(by: 1_000_000_000)
        let secondOfDay = seconds.flooredRemainder(by: 86_400)
        let date = CivilDate(daysSince1970: (seconds - secondOfDay) / 86_400)
        let (fraction, digits): (Int64, Int) =
            if nanoseconds % 1_000_000 == 0 {
                (nanoseconds / 1_000_000, 3)
            } else if nanoseconds % 1_000 == 0 {
                (nanoseconds / 1_000, 6)
            } else {
                (nanoseconds, 9)
            }
        let day = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
        let hour = "\(padded(secondOfDay / 3600, 2)):\(padded(secondOfDay / 60 % 60, 2)):\(padded(secondOfDay % 60, 2))"
        return "\(day)T\(hour).\(padded(fraction, digits))Z"
    }

    /// Creates a time from ISO 8601 in UTC with any number of decimals: `2026-11-21T08:30:00Z`,
    /// `2026-11-21T08:30:00.25Z`.
    ///
    /// Decimals after the ninth are dropped; a leap second (`:60`) becomes the second after it. Returns `nil` for other
    /// text: another zone, a date that does not exist, a year before 1678, a time beyond the range in 2262.
    public init?(_ text: some StringProtocol) {
        var rest = Substring(text).utf8[...]
        func number(_ digits: Int) -> Int64? {
            guard rest.count >= digits else { return nil }
            var value: Int64 = 0
            for byte in rest.prefix(digits) {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            rest = rest.dropFirst(digits)
            return value
        }
        func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2), skip("T"),
            let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
            hour < 24, minute < 60, second <= 60, (1678...2262).contains(year),
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        var nanoseconds: Int64 = 0
        if skip(".") {
            var unit: Int64 = 100_000_000
            var digits = 0
            while let digit = number(1) {
                nanoseconds += digit * unit
                unit /= 10
                digits += 1
            }
            guard digits > 0 else { return nil }
        }
        guard skip("Z"), rest.isEmpty else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = whole.addingReportingOverflow(nanoseconds)
        guard !overflow, !overflowOfSum else { return nil }
        self.init(nanosecondsSince1970: sum)
    }

    private func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A day of the proleptic Gregorian calendar.
///
/// The conversions are Howard Hinnant's `days_from_civil` and `civil_from_days`
/// (<https://howardhinnant.github.io/date_algorithms.html>), which count in eras of 400 years from 0000-03-01.
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    init(daysSince1970: Int64) {
        let days = daysSince1970 + 719_468
        let dayOfEra = days.flooredRemainder(by: 146_097)
        let era = (days - dayOfEra) / 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        self.year = year
        self.month = month
        self.day = day
        // Reject a day past the end of its month: it converts back to a day of the next month.
        let back = CivilDate(daysSince1970: daysSince1970)
        guard back.month == month, back.day == day else { return nil }
    }

    var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let yearOfEra = shiftedYear.flooredRemainder(by: 400)
        let era = (shiftedYear - yearOfEra) / 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension FixedWidthInteger {
    /// The remainder of flooring division: never negative for a positive divisor.
    package func flooredRemainder(by divisor: Self) -> Self {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }

    /// The quotient, rounded down for a positive divisor.
    package func flooredDivision(by divisor: Self) -> Self { self / divisor - (self % divisor < 0 ? 1 : 0) }
}
