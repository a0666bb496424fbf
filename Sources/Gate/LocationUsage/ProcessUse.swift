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

    /// The processes to review.
    struct Review {
        /// True while the process awaits it.
        var isDue = false
        /// True if it gathers the evidence of the process.
        var isGathering = true
    }

    /// The next review.
    var review = Review()
    var isInDeadlineQueue = false
    /// Its slot in the list of its place.
    private var memberSlot: Int?
    /// Its slot in the list of processes with a terminal.
    var terminalSlot: Int?

    /// The place; `nil` until it was determined.
    private(set) var place: SharedPlace?
    private var terminal = TerminalUse()
    private var isBackgroundActivityShown = false

    private var inUse = InUse()
    /// The revision of the place that has been taken into account.
    private var seen = SharedPlace.Revision()
    private var reported = Report()

    init(_ process: WatchedProcess) {
        self.process = process
    }

    /// The evidence so far.
    var evidence: UsageEvidence? {
        place?.state.map {
            UsageEvidence(place: $0, terminal: terminal.evidence, isBackgroundActivityShown: isBackgroundActivityShown)
        }
    }

    var hasTerminal: Bool { terminal.isOpen }

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
        noteEnd(at: instant)
        events += reported.changes(to: inUse.isInUse(at: instant)).map { .changed(process, isInUse: $0) }
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
    func update(_ terminal: UsageEvidence.Terminal, at instant: ContinuousClock.Instant) {
        catchUp()
        self.terminal.update(terminal)
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
        reported.hasEvidence = true
        noteEnd(at: instant)
        inUse.update(evidence, at: instant)
        noteEnd(at: instant)
    }

    private func noteEnd(at instant: ContinuousClock.Instant) {
        if !inUse.isInUse(at: instant) { reported.left() }
    }

    /// Removes the process from its place's list.
    func leavePlace() {
        catchUp()
        if let memberSlot { place?.members.remove(at: memberSlot) }
        (place, memberSlot) = (nil, nil)
    }
}

/// The relation of a process to its terminal over time.
private struct TerminalUse {
    /// True if it has a terminal.
    private(set) var isOpen = false
    private var isLost = false
    /// The kinds of evidence.
    private(set) var evidence = UsageEvidence.Terminal.none

    /// Takes the relation as it is now. Closing a terminal leaves its background jobs without one. That does not put them in
    /// use.
    mutating func update(_ now: UsageEvidence.Terminal) {
        isLost = now == .none && (isLost || isOpen)
        isOpen = now != .none
        evidence = isLost ? .background : now
    }
}

/// The reported state of a process.
private struct Report {
    /// True once there is anything to report.
    var hasEvidence = false
    /// The last reported state.
    private var isInUse: Bool?
    /// True if the process was out of use at some moment since the last report.
    private var hasLeft = false

    /// Notes that the process is out of use.
    mutating func left() { if isInUse == true { hasLeft = true } }

    /// The states to report now, in order.
    mutating func changes(to isInUse: Bool) -> [Bool] {
        guard hasEvidence else { return [] }
        var changes: [Bool] = []
        for state in hasLeft ? [false, isInUse] : [isInUse] where state != self.isInUse {
            self.isInUse = state
            changes.append(state)
        }
        hasLeft = false
        return changes
    }
}
