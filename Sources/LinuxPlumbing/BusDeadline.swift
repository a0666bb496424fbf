import CSystemd
package import NIOCore

extension NIODeadline {
    /// The time at which sd-bus wants to process its connection without an event; `nil` if it does not (sd_bus_get_timeout(3)).
    package init?(of bus: OpaquePointer) {
        var microseconds: UInt64 = 0
        guard sd_bus_get_timeout(bus, &microseconds) > 0, microseconds != .max else { return nil }
        // Both are of CLOCK_MONOTONIC. A time that does not fit is never.
        let (nanoseconds, isTooLate) = microseconds.multipliedReportingOverflow(by: 1000)
        guard !isTooLate else { return nil }
        self = .uptimeNanoseconds(nanoseconds)
    }
}
