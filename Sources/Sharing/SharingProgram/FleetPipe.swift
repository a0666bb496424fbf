import FleetModel
import Glibc

/// The pipe to the program that shows the vehicles of a broker: gathers what arrives within a few milliseconds for one write.
///
/// Not `Sendable`: one thread uses it, which a slow reader blocks. The broker then drops what it cannot deliver.
package final class FleetPipe {
    /// The size from which on it is written, in bytes.
    private static let portion = 32 * 1024
    /// The longest time for which it is gathered.
    private static let pause = Duration.milliseconds(20)
    /// The longest time between two looks whether somebody still reads.
    private static let look = Duration.seconds(1)

    private let descriptor: CInt
    private var waiting: [UInt8] = []
    private var since = ContinuousClock.now
    private var hasFailed = false

    /// A pipe with a descriptor to write to. SIGPIPE has to be ignored.
    package init(to descriptor: CInt) { self.descriptor = descriptor }

    /// True when nobody reads any more.
    package var isClosed: Bool {
        if hasFailed { return true }
        // The next write reports it.
        guard waiting.isEmpty else { return false }
        var event = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&event, 1, 0) > 0
    }

    /// Passes on what a broker has delivered, at the latest with ``writeIfDue()``.
    func take(_ item: FleetFeed) {
        if waiting.isEmpty { since = .now }
        item.append(to: &waiting)
        if waiting.count >= Self.portion { write() }
    }

    /// Writes what waits if it has waited long enough. Returns the time after which this has to be called again.
    func writeIfDue() -> Duration {
        guard !waiting.isEmpty else { return Self.look }
        let left = Self.pause - since.duration(to: .now)
        if left > .zero { return left }
        write()
        return Self.look
    }

    /// Writes all that waits.
    func write() {
        var start = 0
        while start < waiting.count, !hasFailed {
            let count = waiting.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if count < 0, errno == EINTR { continue }
            if count > 0 { start += count } else { hasFailed = true }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Waits for a time, or until nobody reads any more.
    func wait(_ time: Duration) {
        var event = pollfd(fd: descriptor, events: 0, revents: 0)
        _ = poll(&event, 1, CInt((time / .milliseconds(1)).rounded(.up)))
    }
}
