import ArgumentParser
import CommandLineSupport
import LocationModel

/// The options for a decision that ends by itself.
struct DecisionTerm: ParsableArguments {
    @Option(name: .customLong("for"), help: ArgumentHelp("For this long: 2h, 90m, 7d.", valueName: "duration"))
    var duration: String?

    @Option(help: ArgumentHelp("Until this time: 18:00, or 2026-12-24T18:00.", valueName: "time"))
    var until: String?

    @Flag(help: "Until you log out: the end of your last session, or a restart of the machine.")
    var untilLogout = false

    func validate() throws {
        guard [duration != nil, until != nil, untilLogout].count(where: { $0 }) < 2 else {
            throw ValidationError("--for, --until and --until-logout say the same. Give one of them.")
        }
        _ = try end(after: .now())
    }

    /// The end of a decision that is made `now`; `nil` for one that lasts.
    func end(after now: Timestamp) throws -> Timestamp? {
        if let duration { return now.advanced(by: try Self.duration(duration)) }
        guard let until else { return nil }
        let end =
            TypedTime.timeOfDay(until).map { LocalClock.next(hour: $0.hour, minute: $0.minute, after: now) }
            ?? PastTime.time(until)?.timestamp(by: .local)
        guard let end else {
            throw ValidationError(
                "“\(until.shown())” is no time. Give one such as 18:00, or with a date, such as 2026-12-24T18:00.")
        }
        guard end > now else { throw ValidationError("\(until.shown()) is past. Give a time that is still to come.") }
        return end
    }

    /// The duration of `2h`, `1h30m` or `7d`, of a minute to a year.
    private static func duration(_ text: String) throws -> Duration {
        guard let seconds = TypedTime.seconds(text) else {
            throw ValidationError("“\(text.shown())” is no duration. Give one such as 2h, 90m, 1h30m or 7d.")
        }
        guard (60...366 * 86_400).contains(seconds) else {
            throw ValidationError(
                "“\(text.shown())” is out of range: 1 minute to 366 days. For a decision that lasts, leave it out.")
        }
        return .seconds(seconds)
    }
}
