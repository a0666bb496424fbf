import Glibc
package import LocationModel

/// The wall clock of the user, by `TZ` or the machine's time zone.
package enum LocalClock {
    /// The next time with this hour and minute.
    package static func next(hour: Int, minute: Int, after now: Timestamp) -> Timestamp {
        var seconds = time_t(now.secondsSince1970.rounded(.down))
        var local = tm()
        localtime_r(&seconds, &local)
        (local.tm_hour, local.tm_min, local.tm_sec, local.tm_isdst) = (Int32(hour), Int32(minute), 0, -1)
        var next = mktime(&local)
        if next <= seconds {
            local.tm_mday += 1
            local.tm_isdst = -1
            next = mktime(&local)
        }
        return Timestamp(secondsSince1970: Int64(next))
    }
}
