import LinuxPlumbing
import LocationPolicy

/// The state of one watched process.
///
/// Changes are reviewed a few processes at a time, but the state may be queried at any moment: it then first catches up
/// with the changes of its place.
final class ProcessUse {
    let process: WatchedProcess
    /// The number of watchers; 0 once it is no longer watched.
    var count = 1
    /// The watch on its pidfd, which reports its end.
    var exit: DescriptorPoller.Watch?
    /// True if the process has ended, until that is reported.
    var hasExited = false

    /// True if the message bus may have started it as an application.
    var mayBeActivated = false

    /// True while the process awaits a review.
    var isDue = false
    /// True if the next review gathers its evidence.
    var isGatheringDue = true
    var isInDeadlineQueue = false
    /// Its slot in the list of its place.
    private var memberSlot: Int?
    /// Its slot in the list of processes with a terminal.
    var terminalSlot: Int?

    /// The place; `nil` until it was determined.
    private(set) var place: SharedPlace?
    private var terminal = UsageEvidence.Terminal.none
    private(set) var hasTerminal = false
    private var hasLostTerminal = false
    private var isBackgroundActivityShown = false

    private var inUse = InUse()
    /// The revision of the place that has been taken into account.
    private var seen = SharedPlace.Revision()
    private var hasEvidence = false
    /// The last reported state.
    private var reported: Bool?
    /// True if the process was out of use at some moment since the last report.
    private var hasLeft = false

    init(_ process: WatchedProcess) {
        self.process = process
    }

    /// The evidence so far.
    var evidence: UsageEvidence? {
        place?.state.map {
            UsageEvidence(place: $0, terminal: terminal, isBackgroundActivityShown: isBackgroundActivityShown)
        }
    }

    /// The end of the grace period.
    var deadline: ContinuousClock.Instant? { inUse.deadline }

    /// True if the process is in use.
    func isInUse(at instant: ContinuousClock.Instant) -> Bool {
        catchUp()
        return !hasExited && inUse.isInUse(at: instant)
    }

    /// Reports changes since the last report; use that ended and began again is reported as both.
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
    /// Applies the evidence gathered at `instant`.
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

    /// Applies the relation to the terminal at `instant`.
    ///
    /// Closing a terminal leaves its background jobs without one. That does not put them in use.
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

    /// Applies the changes of its place.
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

    /// Removes the process from its place's list.
    func leavePlace() {
        catchUp()
        if let memberSlot { place?.members.remove(at: memberSlot) }
        (place, memberSlot) = (nil, nil)
    }
}
