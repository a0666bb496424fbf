import LocationModel

/// The usual interval between fixes, and the durations derived from it.
struct FixPace: Sendable {
    /// The usual interval, in seconds; `nil` before the second fix.
    private var interval: Double?

    /// Learns the time between two fixes. A single gap has little effect.
    mutating func add(_ elapsed: Double) {
        guard let interval else {
            interval = min(elapsed, 10)
            return
        }
        self.interval = interval + (min(elapsed, 2 * interval + 0.1) - interval) / 4
    }

    /// The usual interval, in seconds; 1 until it is known.
    var usual: Double { interval ?? 1 }

    /// The duration of a prediction after a fix, in seconds.
    var horizon: Double { min(max(3, 1.5 * usual), 15) }

    /// The duration of a correction, in seconds: less than a second and usually done before the next fix, but not so
    /// short that it would jerk.
    var correction: Double { min(max(0.8 * usual, 0.25), 0.8) }

    /// The time for which a fix is shown, in seconds: the sources' own three and a half epochs, but at least 10 s, so
    /// that a slow source is not mistaken for a silent one.
    var patience: Double { min(max(10, 3.5 * usual), Dynamics.longestGap) }
}

/// The last heading of a compass.
struct Compass: Sendable {
    /// The time for which a heading is shown, in seconds.
    private static let patience = 3.0

    var heading: Double
    var arrival: ContinuousClock.Instant

    /// The heading; `nil` when it is too old.
    func heading(at now: ContinuousClock.Instant) -> Double? {
        arrival.duration(to: now).seconds <= Self.patience ? heading : nil
    }
}

/// Detects a receiver clock that was set back: a run of fixes with earlier times at a plausible pace.
struct LateRun: Sendable {
    private static let believed = 3

    private var last: (timestamp: Timestamp, arrival: ContinuousClock.Instant)?
    private var count = 0

    /// Adds a fix; returns true when the run is long enough.
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
