import LocationModel

/// How long a share has waited for a clock that is earlier than its start.
struct ShareClockWait: Sendable {
    /// The time for which it waits for a clock that was set back after its start.
    private static let longest = Duration.seconds(3600)
    /// The time for which it waits for the clock of a machine that has started.
    private static let longestAtStart = Duration.seconds(86_400)

    /// The start of the share that this run has seen begin by the clock.
    private var begun: Timestamp?
    /// The time since which it waits; `nil` while it does not.
    private var since: ContinuousClock.Instant?

    /// The time for which it has waited; `nil` while it does not.
    func time(at now: ContinuousClock.Instant) -> Duration? { since.map { $0.duration(to: now) } }

    /// Takes note of a share's phase. Returns true if it has waited for too long: a share that was started while the clock was ahead
    /// does not wait for days to go live.
    mutating func enter(_ phase: SharePhase, of share: Share?, _ moment: ShareMachine.Moment) -> Bool {
        if phase == .sharing || phase == .paused { begun = share?.started }
        guard phase == .clockNotSet, let share else {
            since = nil
            return false
        }
        let since = since ?? moment.steady
        self.since = since
        let isSetBack = begun == share.started && share.started.duration(since: moment.wall) > Self.longest
        return isSetBack || since.duration(to: moment.steady) > Self.longestAtStart
    }
}
