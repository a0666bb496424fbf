/// Whether one process is in use, from the evidence of this moment and of the last few seconds.
///
/// Who goes to another window, session or job for a moment has not stopped using a program. So a process stays in use
/// for `grace` after the evidence has gone. A locked screen and a session that ends are no such moment: they end use at
/// once.
public struct InUse: Hashable, Sendable {
    /// For how long a process stays in use after the last evidence.
    public static let grace = Duration.seconds(5)

    private enum Phase: Hashable {
        case unused
        case used
        case leaving(until: ContinuousClock.Instant)
    }

    private var phase = Phase.unused

    /// A process that is not in use.
    public init() {}

    /// Takes note of what is known at `instant`.
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

    /// Whether it is in use at `instant`, if no newer evidence is known.
    public func isInUse(at instant: ContinuousClock.Instant) -> Bool {
        switch phase {
        case .unused: false
        case .used: true
        case .leaving(let deadline): instant < deadline
        }
    }

    /// When it stops being in use if no new evidence comes; `nil` while no such end is in sight.
    public var deadline: ContinuousClock.Instant? {
        if case .leaving(let deadline) = phase { deadline } else { nil }
    }
}
