package import Glibc
package import LocationModel

/// The wall clock of the user, by `TZ` or the machine's time zone.
package enum LocalClock {
    /// A time in the form of strftime(3).
    package static func text(_ time: Timestamp, _ form: String) -> String {
        var local = fields(of: time)
        var text = [CChar](repeating: 0, count: 64)
        let length = strftime(&text, text.count, form, &local)
        return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The date and the time of day.
    package static func fields(of time: Timestamp) -> tm {
        var seconds = time_t(time.secondsSince1970.rounded(.down))
        var local = tm()
        localtime_r(&seconds, &local)
        return local
    }

    package static func next(hour: Int, minute: Int, after now: Timestamp) -> Timestamp {
        var local = fields(of: now)
        (local.tm_hour, local.tm_min, local.tm_sec, local.tm_isdst) = (Int32(hour), Int32(minute), 0, -1)
        var next = mktime(&local)
        if next <= time_t(now.secondsSince1970.rounded(.down)) {
            local.tm_mday += 1
            local.tm_isdst = -1
            next = mktime(&local)
        }
        return Timestamp(secondsSince1970: Int64(next))
    }
}
