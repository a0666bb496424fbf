import LinuxPlumbing
import LocationPolicy
import Logging
import NIOCore

/// The implementation of `UsageMonitor`, confined to its event loop.
///
/// The effects of a change are handled in slices, so that one user's many processes delay nobody: see
/// `UsageWatch+Review`.
final class UsageWatch {
    let eventLoop: any EventLoop
    let login: any LoginSource
    let now: @Sendable () -> ContinuousClock.Instant
    let handler: @Sendable ([UsageEvent]) -> Void
    private let logger: Logger

    private var uses: [WatchedProcess: ProcessUse] = [:]
    private var poller: DescriptorPoller?
    private(set) var places: [LoginPlace: SharedPlace] = [:]
    /// The processes with a terminal, whose foreground is checked once a second.
    var terminals = SlotList<ProcessUse>()
    var deadlines = DeadlineQueue()
    var review = ReviewSchedule()

    init(
        eventLoop: any EventLoop, logger: Logger, login: any LoginSource,
        now: @escaping @Sendable () -> ContinuousClock.Instant, handler: @escaping @Sendable ([UsageEvent]) -> Void
    ) {
        self.eventLoop = eventLoop
        self.logger = logger
        self.login = login
        self.now = now
        self.handler = handler
    }

    func watch(_ process: WatchedProcess) {
        if let known = uses[process] {
            known.count += 1
            return
        }
        if poller == nil { start() }
        let use = ProcessUse(process)
        use.exit = poller?.add(process.descriptor) { [weak self, weak use] in
            guard let use else { return }
            use.hasExited = true
            self?.schedule(use)
        }
        uses[process] = use
        schedule(use)
    }

    func unwatch(_ process: WatchedProcess) {
        guard let use = uses[process] else { return }
        use.count -= 1
        if use.count == 0 { forget(use) }
    }

    func isInUse(_ process: WatchedProcess) -> Bool {
        uses[process]?.isInUse(at: now()) ?? false
    }

    func evidence(of process: WatchedProcess) -> UsageEvidence? {
        uses[process]?.evidence
    }

    func refresh(_ process: WatchedProcess) {
        guard let use = uses[process] else { return }
        gather(use, at: now())
        schedule(use)
    }

    func setMayBeActivated(_ process: WatchedProcess) {
        guard let use = uses[process], !use.mayBeActivated else { return }
        use.mayBeActivated = true
        use.review.isGathering = true
        schedule(use)
    }

    func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {
        guard let use = uses[process] else { return }
        use.setBackgroundActivity(isShown: isShown, at: now())
        schedule(use)
    }

    func stop() {
        for use in uses.values { forget(use) }
    }

    /// Stops watching a process.
    func forget(_ use: ProcessUse) {
        use.count = 0
        uses[use.process] = nil
        if let exit = use.exit { poller?.remove(exit) }
        setTerminalWatch(use, false)
        leavePlace(use)
        guard uses.isEmpty else { return }
        login.stop()
        poller?.stop()
        poller = nil
        deadlines = DeadlineQueue()
        review.cancel()
    }

    private func start() {
        do {
            let poller = try DescriptorPoller(eventLoop: eventLoop, name: "usage")
            self.poller = poller
            login.start(poller: poller) { [weak self] in self?.receive($0) }
        } catch {
            logger.error("No program counts as in use, because changes of use cannot be watched: \(error).")
        }
    }
}

// MARK: Evidence

extension UsageWatch {
    /// Gathers the evidence of one process.
    func gather(_ use: ProcessUse, at instant: ContinuousClock.Instant) {
        use.review.isGathering = false
        let (key, terminal) = (
            login.place(of: use.process.processID, mayBeActivated: use.mayBeActivated), terminal(of: use)
        )
        // The evidence belongs to this process only if it still has the id.
        let place = place(use.process.hasExited ? .background : key, at: instant)
        if let before = use.place, before !== place { leavePlace(use) }
        use.update(place, terminal, at: instant)
        settle(use, at: instant)
    }

    /// Checks whether one process is in the foreground of its terminal.
    func checkTerminal(of use: ProcessUse, at instant: ContinuousClock.Instant) {
        use.update(terminal(of: use), at: instant)
        settle(use, at: instant)
    }

    private func terminal(of use: ProcessUse) -> UsageEvidence.Terminal {
        ProcessStatus(processID: use.process.processID)?.terminalUsage ?? .background
    }

    private func settle(_ use: ProcessUse, at instant: ContinuousClock.Instant) {
        setTerminalWatch(use, use.hasTerminal)
        deadlines.insert(use, at: instant)
    }

    private func place(_ key: LoginPlace, at instant: ContinuousClock.Instant) -> SharedPlace {
        if let known = places[key] { return known }
        let place = SharedPlace(key, state: login.state(of: key), at: instant)
        places[key] = place
        return place
    }

    private func leavePlace(_ use: ProcessUse) {
        guard let place = use.place else { return }
        use.leavePlace()
        if place.members.isEmpty { places[place.key] = nil }
    }

    private func setTerminalWatch(_ use: ProcessUse, _ isWatched: Bool) {
        if isWatched, use.terminalSlot == nil {
            use.terminalSlot = terminals.insert(use)
        } else if !isWatched, let slot = use.terminalSlot {
            terminals.remove(at: slot)
            use.terminalSlot = nil
        }
    }

    /// Handles a change from logind: it takes effect at once for all processes there, which are reported in their turn.
    private func receive(_ change: LoginChange) {
        switch change {
        case .session(let id):
            for (key, place) in places {
                switch key {
                case .session(id), .applications: reread(place)
                case .session, .background: break
                }
            }
        case .everything:
            for place in places.values { schedule(rereading: place) }
        }
    }

    /// Reads the state of a place.
    func reread(_ place: SharedPlace) {
        if place.set(login.state(of: place.key), at: now()) { schedule(membersOf: place) }
    }
}
