import NIOCore

/// How often a receiver has a fix, and until when its last one counts as fresh.
///
/// The pace is measured at arrival, not by the receiver's times: what matters is how long one has to wait.
struct EpochPace {
    /// Assumed until the pace is known.
    static let assumedInterval = TimeAmount.seconds(1)
    /// However fast or slow a receiver is, its fix stays fresh for no less and no more.
    static let horizonBounds = TimeAmount.milliseconds(350)...TimeAmount.seconds(60)

    /// The last few intervals, the newest last.
    private var intervals: [TimeAmount] = []
    /// When the last epoch with a fix began to arrive.
    private(set) var lastEpoch: NIODeadline?
    /// False when the stream was interrupted since `lastEpoch`: the time until the next one is no interval.
    private var isContinuous = false
    /// True when the last fix but one had gone stale before the last one came.
    private var lastWasGap = false

    /// The median of the last five intervals; `nil` before the first.
    var learnedInterval: TimeAmount? {
        intervals.isEmpty ? nil : intervals.sorted()[intervals.count / 2]
    }

    /// The interval to reckon with. The first two may be those of a burst, so until there are three they only count
    /// when they are longer than what is assumed.
    var interval: TimeAmount {
        guard let learnedInterval else { return Self.assumedInterval }
        return intervals.count < 3 ? max(learnedInterval, Self.assumedInterval) : learnedInterval
    }

    /// How long a fix stays fresh: until three epochs have been missed and half an interval more has passed.
    var horizon: TimeAmount {
        let horizon = TimeAmount.nanoseconds(interval.nanoseconds * 7 / 2)
        return min(max(horizon, Self.horizonBounds.lowerBound), Self.horizonBounds.upperBound)
    }

    /// When the last fix goes stale; `nil` when there is none to go stale.
    var staleAt: NIODeadline? { lastEpoch.map { $0 + horizon } }

    func isFresh(at now: NIODeadline) -> Bool {
        staleAt.map { now < $0 } ?? false
    }

    /// Notes that an epoch with a fix begins. A gap in which the last fix went stale is not learned, unless it follows
    /// another one: then it is the pace of a slow receiver.
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

    /// The stream is interrupted: the next interval is not to be learned.
    mutating func interrupt() {
        isContinuous = false
    }

    /// Nothing is fresh any more; what was learned stays.
    mutating func forgetFix() {
        lastEpoch = nil
    }
}
