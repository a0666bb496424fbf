import LocationModel

/// The delivery of the end to a service that can forget the position: repeated until it confirms it, for a day. Each run of the
/// program sends it once more.
struct ShareEnding: Sendable {
    /// The most of the day that one attempt takes, however long the machine was suspended after it.
    private static let longestAttempt = Duration.seconds(3660)

    /// The time of the last attempt, or of the end; `nil` while the service is not to forget.
    private var lastAttempt: ContinuousClock.Instant?
    /// True if this run has told the service of the end.
    private var hasTold = false
    /// True if a position may have reached the service since it confirmed an end: only then it may show one.
    private(set) var mayHaveStored: Bool

    init(_ state: ShareState) { mayHaveStored = state.isShowing }

    /// True while the service is to forget the position.
    var isUnderWay: Bool { lastAttempt != nil }

    /// True if this run no longer sends the end.
    func isGivenUp(_ state: ShareState) -> Bool {
        hasTold && (state.clearingTime ?? 0) >= ShareMachine.clearingTime / .seconds(1)
    }

    /// Takes note of the outcome of positions.
    mutating func note(_ outcome: ShareMachine.Outcome, _ state: inout ShareState) {
        switch outcome {
        case .answered(.doubtful), .answered(.refused), .answered(.wrong): state.isShowing = mayHaveStored
        // Nothing is known of a message that was cancelled.
        case .answered, .failed, .cancelled: mayHaveStored = true
        }
    }

    /// Begins to send the end.
    mutating func begin(_ state: inout ShareState, at now: ContinuousClock.Instant) {
        lastAttempt = now
        state.clearingTime = state.clearingTime ?? 0
    }

    /// Takes note that the service is being told.
    mutating func tell() { hasTold = true }

    /// Takes note that it has not confirmed the end.
    mutating func fail(_ state: inout ShareState, at now: ContinuousClock.Instant) {
        let time = min(max(.zero, (lastAttempt ?? now).duration(to: now)), Self.longestAttempt)
        state.clearingTime = min(
            (state.clearingTime ?? 0) + time / .seconds(1), ShareMachine.clearingTime / .seconds(1))
        lastAttempt = now
    }

    /// Takes note that positions follow instead.
    mutating func stop() { (lastAttempt, hasTold) = (nil, false) }

    /// Takes note that the service has forgotten the position.
    mutating func finish(_ state: inout ShareState) {
        (lastAttempt, mayHaveStored) = (nil, false)
        (state.isShowing, state.clearingTime) = (false, nil)
    }
}
