import CLinux
import Glibc
package import NIOCore

/// Waits for times of the wall clock by timerfd_create(2), and watches `/etc/localtime`.
///
/// The timer is one of the kernel's clock, so that a time that passes while the machine is suspended is reported when it
/// wakes up, as every other change of the clock is. Without an awaited time there is no thread, no timer and no watch.
///
/// Confined to its event loop.
package final class WallClockMonitor: WallClockWatching {
    package var onChange: () -> Void = {}

    private let eventLoop: any EventLoop
    private let timeZoneFile: String
    private var parts: Parts?

    /// The timer and its thread, which exist while a time is awaited.
    private struct Parts {
        let poller: DescriptorPoller
        let timer: Int32
        let timerWatch: DescriptorPoller.Watch
        let timeZoneWatch: FileWatch
    }

    /// - Parameter timeZoneFile: the file that holds the machine's time zone, or the link to it.
    package init(eventLoop: any EventLoop, timeZoneFile: String = "/etc/localtime") {
        (self.eventLoop, self.timeZoneFile) = (eventLoop, timeZoneFile)
    }

    package func watch(until time: Duration?) throws {
        eventLoop.preconditionInEventLoop()
        guard let time else { return stop() }
        if parts == nil { parts = try makeParts() }
        try set(time)
    }

    private func makeParts() throws -> Parts {
        let timer = timerfd_create(CLOCK_REALTIME, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
        guard timer >= 0 else { throw SystemdError("waiting for a time", -errno) }
        do {
            let poller = try DescriptorPoller(eventLoop: eventLoop, name: "clock")
            do {
                let timeZoneWatch = try FileWatch(path: timeZoneFile, poller: poller) { [weak self] in
                    // glibc looks at the file again only when told to.
                    tzset()
                    self?.onChange()
                }
                return Parts(
                    poller: poller, timer: timer, timerWatch: poller.add(timer) { [weak self] in self?.receive() },
                    timeZoneWatch: timeZoneWatch)
            } catch {
                poller.stop()
                throw error
            }
        } catch {
            close(timer)
            throw error
        }
    }

    private func set(_ time: Duration) throws {
        guard let parts else { return }
        // A time of zero would disarm the timer, and the kernel's clock does not reach much further than the other one.
        let (seconds, attoseconds) = min(max(time, .nanoseconds(1)), .seconds(1 << 32)).components
        guard locationd_set_wall_clock_timer(parts.timer, seconds, Int(attoseconds / 1_000_000_000)) != 0 else {
            return
        }
        guard errno == ECANCELED else { throw SystemdError("waiting for a time", -errno) }
        // The timer is set, but the clock was set too since it was last read, maybe after the caller has read it.
        let this = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { if this.value.parts != nil { this.value.onChange() } }
    }

    private func receive() {
        guard let parts else { return }
        var count: UInt64 = 0
        let result = read(parts.timer, &count, MemoryLayout.size(ofValue: count))
        let isDue = result > 0 || errno == ECANCELED
        parts.poller.resume(parts.timerWatch)
        if isDue { onChange() }
    }

    private func stop() {
        guard let parts else { return }
        self.parts = nil
        parts.timeZoneWatch.stop()
        parts.poller.remove(parts.timerWatch)
        close(parts.timer)
        parts.poller.stop()
    }

    deinit { assert(parts == nil, "the watch is ended before it is let go") }
}
