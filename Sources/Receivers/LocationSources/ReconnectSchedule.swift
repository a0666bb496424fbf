import NIOCore
import Pacing

/// The delays between attempts to reach gpsd.
///
/// It balances reconnecting at once against wearing out a machine or a network while gpsd is away. Most outages last
/// seconds (a restart, an update), so for the first minute an attempt starts at least every 250 ms on this machine and
/// every 800 ms elsewhere. After that the exponential back-off continues to 5 s for other machines; on this one it stops
/// at 900 ms, because a refused local connection costs microseconds and somebody is waiting for a location. (While
/// nobody is, there are no attempts.) Watching the socket's directory instead would work for Unix sockets only, and
/// would not show whether a listener is there.
///
/// Every delay is drawn from the upper half of its range, so that clients that lost gpsd together do not return
/// together.
struct ReconnectSchedule {
    /// The time during which gpsd is expected back any moment.
    static let attentiveTime = TimeAmount.minutes(1)

    let isLocal: Bool
    private var backOff: BackOff
    private var since: NIODeadline?

    /// True from the first failure until gpsd answers.
    var isRunning: Bool { since != nil }

    init(isLocal: Bool) {
        self.isLocal = isLocal
        backOff = BackOff(from: .milliseconds(200), to: isLocal ? .milliseconds(900) : .seconds(5))
    }

    /// True after a minute of failures.
    func hasLastedLong(at now: NIODeadline) -> Bool { since.map { now - $0 >= Self.attentiveTime } ?? false }

    /// The delay after an attempt failed or the connection was lost at `now`.
    ///
    /// - Parameter random: from 0 to 1.
    mutating func delay(at now: NIODeadline, random: Double) -> TimeAmount {
        let start = since ?? now
        since = start
        let attentive = Duration.milliseconds(isLocal ? 250 : 800)
        let isAttentive = now - start < Self.attentiveTime
        return TimeAmount(backOff.next(atMost: isAttentive ? attentive : nil, random: random))
    }

    /// Resets the schedule because gpsd has answered.
    mutating func reset() {
        backOff.reset()
        since = nil
    }
}
