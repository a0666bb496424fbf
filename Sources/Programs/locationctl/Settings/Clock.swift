import ArgumentParser
import CommandLineSupport
import LocationModel

/// The clock by which times are shown to people.
enum Clock: Hashable {
    /// The wall clock of the user, by `TZ` or the machine's time zone.
    case local
    case utc

    /// `2026-11-21 09:30:00`; with a Z in UTC.
    func text(_ time: Timestamp) -> String {
        switch self {
        case .local: LocalClock.text(time, "%Y-%m-%d %H:%M:%S")
        case .utc: time.description.prefix(10) + " " + time.description.dropFirst(11).prefix(8) + "Z"
        }
    }

    /// `09:30:00`; with a Z in UTC.
    func timeOfDay(_ time: Timestamp) -> String { String(text(time).dropFirst(11)) }

    /// `09:30:00.2`, with the tenths of a second that are not 0, because fast receivers report several times a second; with
    /// a Z in UTC.
    func preciseTimeOfDay(_ time: Timestamp) -> String {
        let fraction = time.description.dropFirst(19).prefix { $0 != "Z" }.prefix(3)
        let text = timeOfDay(time)
        guard fraction.contains(where: { $0 != "." && $0 != "0" }) else { return text }
        return "\(text.prefix(8))\(fraction)\(text.dropFirst(8))"
    }

    /// The label of a time of day: `local` or `UTC`.
    var name: String { self == .local ? "local" : "UTC" }

    /// A time of the local clock: `06:00` within a day from now, and `Mon 06:00` otherwise.
    static func near(_ time: Timestamp, now: Timestamp = .now()) -> String {
        let isNear = time.duration(since: now) < .seconds(86_400)
        return LocalClock.text(time, isNear ? "%H:%M" : "%a %H:%M")
    }
}

/// The option of commands that show times: `--utc`.
struct ClockOptions: ParsableArguments {
    @Flag(help: "Show times in UTC, not in local time. JSON always has UTC.")
    var utc = false

    /// The clock by the option.
    var clock: Clock { utc ? .utc : .local }
}
