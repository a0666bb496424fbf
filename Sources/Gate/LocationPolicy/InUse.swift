/// Decides whether one process is in use, from the evidence now and in the last few seconds.
///
/// Switching to another window, session or job for a moment does not end use: a process stays in use for `grace` after
/// the evidence has gone. A locked screen or the end of the session ends use at once.
public struct InUse: Hashable, Sendable {
    /// The time for which a process stays in use after the last evidence.
    public static let grace = Duration.seconds(5)

    private enum Phase: Hashable {
        case unused
        case used
        case leaving(until: ContinuousClock.Instant)
    }

    private var phase = Phase.unused

    /// A process that is not in use.
    public init() {}

    /// Records the evidence at `instant`.
    public mutating func update(_ evidence: UsageEvidence, at instant: ContinuousClock.Instant) {
        if evidence.isInUse {
            phase = .used
        } else if evidence.endsUseAtOnce {
            phase = .unused
        } else if phase == .used {
            phase = .leaving(until: instant + Self.grace)
        } else if !isInUse(at: instant) {
            phase = .unused
        }
    }

    /// True if the process is in use at `instant`, given the evidence so far.
    public func isInUse(at instant: ContinuousClock.Instant) -> Bool {
        switch phase {
        case .unused: false
        case .used: true
        case .leaving(let deadline): instant < deadline
        }
    }

    /// The time at which use ends unless new evidence comes; `nil` if no end is scheduled.
    public var deadline: ContinuousClock.Instant? {
        if case .leaving(let deadline) = phase { deadline } else { nil }
    }
}
