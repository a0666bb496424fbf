import NIOCore

/// Learns a receiver's usual interval between fixes, and derives how long a fix is fresh.
///
/// The interval is measured by arrival, not by the receiver's times, because it decides how long to wait.
struct EpochPace {
    /// The interval until it is learned.
    static let assumedInterval = TimeAmount.seconds(1)
    /// The bounds of `horizon`.
    static let horizonBounds = TimeAmount.milliseconds(350)...TimeAmount.seconds(60)

    /// The last few intervals, the newest last.
    private var intervals: [TimeAmount] = []
    /// The time at which the last epoch with a fix began to arrive.
    private(set) var lastEpoch: NIODeadline?
    /// False if the stream was interrupted since `lastEpoch`, so that the next gap is no interval.
    private var isContinuous = false
    /// True if the last fix but one had gone stale before the last one came.
    private var lastWasGap = false

    /// The median of the last five intervals; `nil` before the first.
    var learnedInterval: TimeAmount? {
        intervals.isEmpty ? nil : intervals.sorted()[intervals.count / 2]
    }

    /// The effective interval. The first two may belong to a burst, so until there are three they only count when they
    /// are longer than the assumed interval.
    var interval: TimeAmount {
        guard let learnedInterval else { return Self.assumedInterval }
        return intervals.count < 3 ? max(learnedInterval, Self.assumedInterval) : learnedInterval
    }

    /// The time for which a fix stays fresh: three missed epochs and half an interval more.
    var horizon: TimeAmount {
        let horizon = TimeAmount.nanoseconds(interval.nanoseconds * 7 / 2)
        return min(max(horizon, Self.horizonBounds.lowerBound), Self.horizonBounds.upperBound)
    }

    /// The time at which the last fix goes stale; `nil` without a fix.
    var staleAt: NIODeadline? { lastEpoch.map { $0 + horizon } }

    func isFresh(at now: NIODeadline) -> Bool {
        staleAt.map { now < $0 } ?? false
    }

    /// Records the beginning of an epoch with a fix. A gap in which the last fix went stale is not learned, unless it
    /// follows another one: then it is the pace of a slow receiver.
    mutating func epochBegan(at now: NIODeadline) {
        if let lastEpoch, isContinuous {
            let interval = now - lastEpoch
            let isGap = interval >= horizon
            if !isGap || lastWasGap {
                intervals.append(min(interval, Self.horizonBounds.upperBound))
                if intervals.count > 5 { intervals.removeFirst() }
            }
            lastWasGap = isGap
        }
        lastEpoch = now
        isContinuous = true
    }

    /// Records an interruption of the stream: the next interval is not learned.
    mutating func interrupt() {
        isContinuous = false
    }

    /// Marks the last fix stale; the learned interval is kept.
    mutating func forgetFix() {
        lastEpoch = nil
    }
}
