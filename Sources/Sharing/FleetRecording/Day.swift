package import LocationModel

/// A day in UTC, as `2026-11-29`.
package struct Day: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The days since 1970-01-01.
    package let number: Int64

    private static let seconds: Int64 = 86_400
    private static let prefix = "position_"

    private init(number: Int64) { self.number = number }

    /// The day of a moment.
    package init(_ time: Timestamp) {
        let length = Self.seconds * 1_000_000_000
        let rest = time.nanosecondsSince1970 % length
        number = time.nanosecondsSince1970 / length - (rest < 0 ? 1 : 0)
    }

    /// The day of a partition's name; `nil` for another name.
    init?(partition name: String) {
        let digits = name.dropFirst(Self.prefix.count)
        guard name.hasPrefix(Self.prefix), digits.count == 8,
            let start = Timestamp("\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))T00:00:00Z")
        else { return nil }
        self.init(start)
    }

    /// The first of the days that are kept, if as many whole days are kept before today.
    package init(first days: Int, before now: Timestamp) { number = Day(now).number - Int64(days) }

    /// Its first moment.
    package var start: Timestamp { Timestamp(secondsSince1970: number * Self.seconds) }
    /// The day after it.
    package var next: Day { Day(number: number + 1) }
    /// The name of the partition with its positions.
    var partition: String { Self.prefix + description.filter { $0 != "-" } }

    package var description: String { String(start.description.prefix { $0 != "T" }) }

    package static func < (a: Day, b: Day) -> Bool { a.number < b.number }
}
