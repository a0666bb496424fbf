import ArgumentParser
import Glibc
package import LocationModel

/// A past time in an argument.
package enum PastTime: ExpressibleByArgument, Hashable {
    /// A time in ISO 8601, or an age: `30m`.
    case instant(Timestamp)
    /// A date, or one with a time of day, by the clock that times are shown by. It is kept as if that were UTC.
    case wallClock(Timestamp)

    /// The time in ISO 8601, or the date, or the date with a time of day; `nil` for any other text.
    package static func time(_ argument: String) -> PastTime? {
        if let timestamp = Timestamp(argument) { return .instant(timestamp) }
        let date = argument.prefix(10)
        let time = argument.dropFirst(11)
        let forms = argument.count == 10 ? ["T00:00:00Z"] : ["T\(time)Z", "T\(time):00Z"]
        if argument.count == 10 || ["T", " "].contains(argument.dropFirst(10).prefix(1)), time.count <= 8,
            let timestamp = forms.lazy.compactMap({ Timestamp(date + $0) }).first
        {
            return .wallClock(timestamp)
        }
        return nil
    }

    package init?(argument: String) {
        if let time = Self.time(argument) {
            self = time
            return
        }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()),
            (0...1_000_000).contains(count)
        else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        self = .instant(Timestamp(secondsSince1970: Int64(now.tv_sec)).advanced(by: .seconds(-count * unit)))
    }

    /// The time; that of a wall clock by the local one, or in UTC.
    package func timestamp(isLocal: Bool) -> Timestamp {
        switch self {
        case .instant(let time): return time
        case .wallClock(let time):
            guard isLocal else { return time }
            var seconds = time_t(time.secondsSince1970)
            var local = tm()
            gmtime_r(&seconds, &local)
            local.tm_isdst = -1
            return Timestamp(secondsSince1970: Int64(mktime(&local)))
        }
    }
}
