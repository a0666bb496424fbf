package import LinuxPlumbing
package import LocationPolicy
package import Logging
package import NIOCore

/// Watches the use of processes for clients that may have the location only while in use. `UsageEvidence` has the
/// rules.
///
/// Without watched processes it costs nothing: no thread, no timer, no descriptor. Otherwise logind, the bus and the
/// end of processes wake it. Only the foreground of terminals is polled once a second, while a watched process has a
/// terminal, because the kernel does not report it.
///
/// The cost of a change is limited to its extent: the state of a session is read once and takes effect at once for all
/// processes there, which are reported in slices of a millisecond or two. The session of a process is read when it
/// begins to be watched and on `refresh`, that is when it makes a request.
///
/// The caller needs access to all processes in `/proc` (no `hidepid`, no `ProtectProc=`), logind's files in
/// `/run/systemd` and the system bus. Without logind nothing is in use.
///
/// All calls except the initializer have to be made on the event loop, to which this is confined: hence
/// `@unchecked Sendable`. They read a few small files of `/proc` and `/run` but never block. The effects of a change are
/// handled in slices, so that one user's many processes delay nobody: see `UsageMonitor+Review`.
package final class UsageMonitor: UsageWatching, @unchecked Sendable {
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

    /// A monitor without watched processes. It calls `handler` on `eventLoop`, but never from within another call.
    ///
    /// - Parameter handler: receives all events of one review, in order. Its handling of one event may stop the watch
    ///   of a process in a later one.
    package convenience init(
        eventLoop: any EventLoop, logger: Logger, handler: @escaping @Sendable ([UsageEvent]) -> Void
    ) {
        self.init(
            eventLoop: eventLoop, logger: logger, login: Logind(eventLoop: eventLoop, logger: logger), now: { .now },
            handler: handler)
    }

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

    package func watch(_ process: WatchedProcess) {
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

    package func unwatch(_ process: WatchedProcess) {
        guard let use = uses[process] else { return }
        use.count -= 1
        if use.count == 0 { forget(use) }
    }

    package func isInUse(_ process: WatchedProcess) -> Bool { uses[process]?.isInUse(at: now()) ?? false }

    package func evidence(of process: WatchedProcess) -> UsageEvidence? { uses[process]?.evidence }

    package func refresh(_ process: WatchedProcess) {
        guard let use = uses[process] else { return }
        gather(use, at: now())
        schedule(use)
    }

    package func setMayBeActivated(_ process: WatchedProcess) {
        guard let use = uses[process], !use.mayBeActivated else { return }
        use.mayBeActivated = true
        use.review.isGathering = true
        schedule(use)
    }

    package func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {
        guard let use = uses[process] else { return }
        use.setBackgroundActivity(isShown: isShown, at: now())
        schedule(use)
    }

    package func shutdown() {
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

extension UsageMonitor {
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
