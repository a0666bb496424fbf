import LocationModel

/// The last few fixes with what was known before each, so that one that comes late is taken in at its place: afterwards all
/// is as if it had come in time.
struct FixTimeline: Sendable {
    private struct Epoch {
        var location: Location
        var before: MotionEstimator
    }

    /// How many fixes one may be overtaken by.
    private static let length = 8

    /// In the order of their times.
    private var epochs: [Epoch] = []

    func contains(_ timestamp: Timestamp) -> Bool {
        epochs.contains { $0.location.timestamp == timestamp }
    }

    /// Notes a fix that is newer than all others, and what was known `before` it.
    mutating func append(_ location: Location, before: MotionEstimator) {
        if epochs.count == Self.length { epochs.removeFirst() }
        epochs.append(Epoch(location: location, before: before))
    }

    /// Takes in a fix that others have overtaken: the estimator as it would be, and what became of the fix. `nil` when
    /// that is too long ago.
    mutating func insert(_ location: Location) -> (MotionEstimator, MotionEstimator.Outcome)? {
        guard let index = epochs.firstIndex(where: { $0.location.timestamp > location.timestamp }) else { return nil }
        var estimator = epochs[index].before
        // Before the first fix of all that are kept.
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
    /// Takes in a fix at its own time.
    fileprivate mutating func observe(_ location: Location) -> Outcome {
        observe(location, elapsed: location.timestamp.duration(since: timestamp).seconds, isAlone: false)
    }
}
