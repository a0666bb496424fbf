import LocationModel

/// The last few fixes with the estimates before each, so that a late fix can be inserted at its time, with the same
/// result as if it had arrived in order.
struct FixTimeline: Sendable {
    private struct Epoch {
        var location: Location
        var before: MotionEstimator
    }

    /// The number of fixes that may overtake another.
    private static let length = 8

    /// The fixes in the order of their times.
    private var epochs: [Epoch] = []

    func contains(_ timestamp: Timestamp) -> Bool {
        epochs.contains { $0.location.timestamp == timestamp }
    }

    /// Records a fix that is newer than all others, and the estimate `before` it.
    mutating func append(_ location: Location, before: MotionEstimator) {
        if epochs.count == Self.length { epochs.removeFirst() }
        epochs.append(Epoch(location: location, before: before))
    }

    /// Inserts a late fix. Returns the resulting estimator and the outcome, or `nil` when the fix is too old.
    mutating func insert(_ location: Location) -> (MotionEstimator, MotionEstimator.Outcome)? {
        guard let index = epochs.firstIndex(where: { $0.location.timestamp > location.timestamp }) else { return nil }
        var estimator = epochs[index].before
        // The fix is older than all remembered ones.
        guard estimator.timestamp < location.timestamp else { return nil }
        epochs.insert(Epoch(location: location, before: estimator), at: index)
        let outcome = estimator.observe(location)
        for later in epochs.indices.dropFirst(index + 1) {
            epochs[later].before = estimator
            _ = estimator.observe(epochs[later].location)
        }
        if epochs.count > Self.length { epochs.removeFirst() }
        return (estimator, outcome)
    }
}

extension MotionEstimator {
    /// Processes a fix at its own time.
    fileprivate mutating func observe(_ location: Location) -> Outcome {
        observe(location, elapsed: location.timestamp.duration(since: timestamp).seconds, isAlone: false)
    }
}
