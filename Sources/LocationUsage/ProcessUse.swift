import LocationPolicy

/// What is known of one watched process.
///
/// It is looked at after each change, a few processes at a time, but may be asked at any moment: then it first catches up
/// with what happened to its place.
final class ProcessUse {
    let process: WatchedProcess
    /// How many want to know; 0 once it is watched no more.
    var count = 1
    /// Waits for its end.
    var exit: DescriptorPoller.Watch?
    /// Whether it has ended, of which nobody has been told yet.
    var hasExited = false

    /// Whether it may be an application that the message bus started.
    var mayBeActivated = false

    /// Whether it waits to be looked at, and whether its evidence is to be gathered then.
    var isDue = false
    var isGatheringDue = true
    var isInDeadlineQueue = false
    /// Where it is listed: by its place, and among those with a terminal.
    private var memberSlot: Int?
    var terminalSlot: Int?

    /// Where it belongs; `nil` until that was gathered.
    private(set) var place: SharedPlace?
    private var terminal = UsageEvidence.Terminal.none
    private(set) var hasTerminal = false
    private var hasLostTerminal = false
    private var isBackgroundActivityShown = false

    private var inUse = InUse()
    /// What it knows of its place.
    private var seen = SharedPlace.Revision()
    private var hasEvidence = false
    /// What was said about it last, and whether it has been out of use since.
    private var reported: Bool?
    private var hasLeft = false

    init(_ process: WatchedProcess) {
        self.process = process
    }

    /// Its evidence as far as it is known.
    var evidence: UsageEvidence? {
        place?.state.map {
            UsageEvidence(place: $0, terminal: terminal, isBackgroundActivityShown: isBackgroundActivityShown)
        }
    }

    /// When its grace ends.
    var deadline: ContinuousClock.Instant? { inUse.deadline }

    /// Whether it is in use.
    func isInUse(at instant: ContinuousClock.Instant) -> Bool {
        catchUp()
        return !hasExited && inUse.isInUse(at: instant)
    }

    /// Reports what has not been said yet: a use that ended and began again as both.
    func report(to events: inout [UsageEvent], at instant: ContinuousClock.Instant) {
        catchUp()
        guard hasEvidence else { return }
        noteEnd(at: instant)
        if hasLeft { say(false, to: &events) }
        hasLeft = false
        say(inUse.isInUse(at: instant), to: &events)
    }

    private func say(_ isInUse: Bool, to events: inout [UsageEvent]) {
        guard reported != isInUse else { return }
        reported = isInUse
        events.append(.changed(process, isInUse: isInUse))
    }
}

// MARK: Evidence

extension ProcessUse {
    /// Takes what was gathered about it at `instant`.
    func update(_ place: SharedPlace, _ terminal: UsageEvidence.Terminal, at instant: ContinuousClock.Instant) {
        catchUp()
        if place !== self.place {
            leavePlace()
            memberSlot = place.members.insert(self)
            self.place = place
            seen = place.revision
        }
        update(terminal, at: instant)
    }

    /// Takes how it stands to its terminal at `instant`.
    ///
    /// A terminal that is closed leaves its background jobs without one. That does not make them used.
    func update(_ terminal: UsageEvidence.Terminal, at instant: ContinuousClock.Instant) {
        catchUp()
        if terminal == .none {
            hasLostTerminal = hasLostTerminal || hasTerminal
        } else {
            hasLostTerminal = false
        }
        hasTerminal = terminal != .none
        self.terminal = hasLostTerminal ? .background : terminal
        apply(at: instant)
    }

    func setBackgroundActivity(isShown: Bool, at instant: ContinuousClock.Instant) {
        catchUp()
        isBackgroundActivityShown = isShown
        apply(at: instant)
    }

    /// Takes note of what happened to its place.
    private func catchUp() {
        guard let place, seen != place.revision else { return }
        if seen.endings != place.revision.endings, !isBackgroundActivityShown {
            inUse = InUse()
            noteEnd(at: place.changedAt)
        }
        seen = place.revision
        apply(at: place.changedAt)
    }

    private func apply(at instant: ContinuousClock.Instant) {
        guard let evidence else { return }
        hasEvidence = true
        noteEnd(at: instant)
        inUse.update(evidence, at: instant)
        noteEnd(at: instant)
    }

    private func noteEnd(at instant: ContinuousClock.Instant) {
        if reported == true, !inUse.isInUse(at: instant) { hasLeft = true }
    }

    /// Is listed at its place no more.
    func leavePlace() {
        catchUp()
        if let memberSlot { place?.members.remove(at: memberSlot) }
        (place, memberSlot) = (nil, nil)
    }
}
