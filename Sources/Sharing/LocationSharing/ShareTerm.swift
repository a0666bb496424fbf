import LocationModel

/// Times of the command line.
package enum ShareTerm {
    /// A duration such as `90m`, `2h`, `1d` or `1h30m`, of a minute to a day.
    package static func duration(_ text: String) throws(InvalidTerm) -> Duration {
        let seconds = try seconds(text)
        guard (60...86_400).contains(seconds) else { throw .range(text) }
        return .seconds(seconds)
    }

    /// The longest time between two positions, such as `60s` or `5m`, of a second to an hour.
    package static func interval(_ text: String) throws(InvalidTerm) -> Duration {
        let seconds = try seconds(text)
        guard (1...3600).contains(seconds) else { throw .interval(text) }
        return .seconds(seconds)
    }

    private static func seconds(_ text: String) throws(InvalidTerm) -> Int64 {
        guard let seconds = TypedTime.seconds(text) else { throw .duration(text) }
        return seconds
    }

    /// The hour and minute of a time of day such as `18:00`.
    package static func timeOfDay(_ text: String) throws(InvalidTerm) -> (hour: Int, minute: Int) {
        guard let time = TypedTime.timeOfDay(text) else { throw .timeOfDay(text) }
        return time
    }
}

/// The reason why a time of the command line is not accepted.
package enum InvalidTerm: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is no duration.
    case duration(String)
    /// The duration is too short or too long.
    case range(String)
    /// The time between two positions is too short or too long.
    case interval(String)
    /// The text is no time of day.
    case timeOfDay(String)

    /// A sentence with the remedy.
    package var description: String {
        switch self {
        case .duration(let text): "“\(text)” is no duration; give one such as 90m, 2h or 1h30m."
        case .range: "A share lasts 1 minute to 24 hours. For one that you end yourself, add --indefinitely."
        case .interval(let text): "“\(text)” is out of range; the time between two positions is 1s to 1h."
        case .timeOfDay(let text): "“\(text)” is no time of day; give one such as 18:00."
        }
    }
}
