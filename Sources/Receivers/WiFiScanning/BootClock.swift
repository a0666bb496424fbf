import Glibc

/// The clock of NetworkManager's times of access points.
package enum BootClock {
    /// The time since the machine's start, sleep included.
    package static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
