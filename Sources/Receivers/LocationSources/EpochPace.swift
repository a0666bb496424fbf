import NIOCore

/// Learns a receiver's usual interval between fixes, and derives how long a fix is fresh.
///
/// The interval is measured by arrival, not by the receiver's times, because it decides how long to wait.
struct EpochPace {
    /// The interval until it is learned.
    static let assumedInterval = TimeAmount.seconds(1)
    /// The bounds of `horizon`.
    static let horizonBounds = TimeAmount.milliseconds(350)...TimeAmount.seconds(60)

    /// The time that the learned intervals must cover before they make the pace shorter than assumed.
    static let shortestObservation = TimeAmount.seconds(2)

    /// The last few intervals, the newest last.
    private var intervals: [TimeAmount] = []
    /// The sum of all learned intervals, up to `shortestObservation`.
    private var observed = TimeAmount.zero
    /// The time at which the last epoch with a fix began to arrive.
    private(set) var lastEpoch: NIODeadline?
    /// `lastEpoch` as it was before the newest epoch, and the beginning of that one.
    private var (beforeNewest, newest): (NIODeadline?, NIODeadline?) = (nil, nil)
    /// The beginning of the last epoch that `intervals` counts from.
    private var lastMeasured: NIODeadline?
    /// True once an epoch had a time. From then on those without one are not measured.
    private var hasSeenTime = false
    /// False if the stream was interrupted since `lastMeasured`, so that the next gap is no interval.
    private var isContinuous = false
    /// True if the last fix but one had gone stale before the last one came.
    private var lastWasGap = false

    /// The interval that most of the time of the last five took: of these, as many of the longest as half of the time is
    /// in, and of those the shortest. A burst takes no time, so it does not count. `nil` before the first.
    var learnedInterval: TimeAmount? {
        let half = intervals.reduce(.zero, +).nanoseconds / 2
        var sum: Int64 = 0
        return intervals.sorted().reversed().first { interval in
            sum += interval.nanoseconds
            return sum >= half
        }
    }

    /// The effective interval. It only becomes shorter than the assumed one when it was seen for two seconds.
    var interval: TimeAmount {
        guard let learnedInterval else { return Self.assumedInterval }
        return observed < Self.shortestObservation ? max(learnedInterval, Self.assumedInterval) : learnedInterval
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
    ///
    /// - Parameter hasTime: true if the fix has a time. gpsd sends what it has of a receiver that has just been opened at
    ///   once and without times, which is no pace; a receiver that never knows the time is measured only where that makes
    ///   the pace slower.
    mutating func epochBegan(at now: NIODeadline, hasTime: Bool) {
        if hasTime || !hasSeenTime {
            if hasTime, !hasSeenTime { isContinuous = false }
            hasSeenTime = hasSeenTime || hasTime
            if let lastMeasured, isContinuous { learn(now - lastMeasured, hasTime: hasTime) }
            lastMeasured = now
            isContinuous = true
        }
        (beforeNewest, newest) = (lastEpoch, now)
        lastEpoch = now
    }

    private mutating func learn(_ interval: TimeAmount, hasTime: Bool) {
        guard hasTime || interval >= Self.assumedInterval else { return }
        let isGap = interval >= horizon
        if !isGap || lastWasGap {
            intervals.append(min(interval, Self.horizonBounds.upperBound))
            if intervals.count > 5 { intervals.removeFirst() }
            observed = min(observed + interval, Self.shortestObservation)
        }
        lastWasGap = isGap
    }

    /// Records that the newest epoch has no fix after all, or that it has one again.
    mutating func setNewestEpoch(hasFix: Bool) { lastEpoch = hasFix ? newest : beforeNewest }

    /// Records an interruption of the stream: the next interval is not learned.
    mutating func interrupt() {
        isContinuous = false
    }

    /// Marks the last fix stale; the learned interval is kept.
    mutating func forgetFix() {
        (lastEpoch, beforeNewest, newest) = (nil, nil, nil)
    }
}
