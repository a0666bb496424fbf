import LocationModel

/// How often fixes come, and what follows from that.
struct FixPace: Sendable {
    /// The usual interval, in seconds; `nil` before the second fix.
    private var interval: Double?

    /// Notes the time between two fixes. A single gap hardly changes what is usual.
    mutating func add(_ elapsed: Double) {
        guard let interval else {
            interval = min(elapsed, 10)
            return
        }
        self.interval = interval + (min(elapsed, 2 * interval + 0.1) - interval) / 4
    }

    /// The usual interval, in seconds; 1 until it is known.
    var usual: Double { interval ?? 1 }

    /// How long a prediction goes on after a fix, in seconds.
    var horizon: Double { min(max(3, 1.5 * usual), 15) }

    /// How long a correction takes, in seconds: within a second, and before the next fix comes if that is not so soon that
    /// it would be a jerk.
    var correction: Double { min(max(0.8 * usual, 0.25), 0.8) }

    /// How long a fix is shown, in seconds: the sources' own three and a half epochs, but no less than 10 s, so that
    /// a source that says nothing is not mistaken for one that is slow.
    var patience: Double { min(max(10, 3.5 * usual), Dynamics.longestGap) }
}

/// The last direction of a compass.
struct Compass: Sendable {
    /// How long it is shown, in seconds.
    private static let patience = 3.0

    var heading: Double
    var arrival: ContinuousClock.Instant

    /// `nil` when it is too old.
    func heading(at now: ContinuousClock.Instant) -> Double? {
        arrival.duration(to: now).seconds <= Self.patience ? heading : nil
    }
}

/// Fixes of an earlier time that arrive like those of a clock which goes on from there: one that was set back.
struct LateRun: Sendable {
    private static let believed = 3

    private var last: (timestamp: Timestamp, arrival: ContinuousClock.Instant)?
    private var count = 0

    /// Notes one more; true when there are enough of them one after the other.
    mutating func add(_ timestamp: Timestamp, at arrival: ContinuousClock.Instant) -> Bool {
        defer { last = (timestamp, arrival) }
        guard let last else {
            count = 1
            return false
        }
        let elapsed = timestamp.duration(since: last.timestamp).seconds
        let waited = last.arrival.duration(to: arrival).seconds
        count = elapsed > 0 && abs(elapsed - waited) < 0.5 ? count + 1 : 1
        return count >= Self.believed
    }
}
