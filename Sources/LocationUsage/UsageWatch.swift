import LocationPolicy
import Logging
import NIOCore

/// The work of a `UsageMonitor`, on its event loop.
final class UsageWatch {
    /// How often a terminal's foreground is looked at.
    private static let terminalInterval = TimeAmount.seconds(1)

    private let eventLoop: any EventLoop
    private let logger: Logger
    private let login: any LoginSource
    private let now: @Sendable () -> ContinuousClock.Instant
    private let handler: @Sendable (UsageEvent) -> Void

    private var entries: [WatchedProcess: Entry] = [:]
    private var poller: DescriptorPoller?
    private var isReviewScheduled = false
    private var terminalTimer: Scheduled<Void>?
    private var deadlineTimer: Scheduled<Void>?

    init(
        eventLoop: any EventLoop, logger: Logger, login: any LoginSource,
        now: @escaping @Sendable () -> ContinuousClock.Instant, handler: @escaping @Sendable (UsageEvent) -> Void
    ) {
        self.eventLoop = eventLoop
        self.logger = logger
        self.login = login
        self.now = now
        self.handler = handler
    }

    func watch(_ process: WatchedProcess) {
        guard entries[process] == nil else {
            entries[process]?.count += 1
            return
        }
        if poller == nil { start() }
        var entry = Entry()
        entry.exit = poller?.add(process.descriptor) { [weak self] in self?.exited(process) }
        entries[process] = entry
        scheduleReview()
    }

    func unwatch(_ process: WatchedProcess) {
        guard let count = entries[process]?.count else { return }
        if count > 1 { entries[process]?.count = count - 1 } else { forget(process) }
    }

    func isInUse(_ process: WatchedProcess) -> Bool {
        guard var entry = entries[process] else { return false }
        let (before, instant) = (entry.inUse, now())
        entry.update(process, login: login, at: instant)
        entries[process] = entry
        // The handler hears of it too, but not from within this call.
        if entry.inUse != before { scheduleReview() }
        return entry.inUse.isInUse(at: instant)
    }

    func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {
        entries[process]?.isBackgroundActivityShown = isShown
        scheduleReview()
    }

    func stop() {
        entries.keys.forEach { forget($0) }
    }

    private func exited(_ process: WatchedProcess) {
        forget(process)
        handler(.exited(process))
    }

    private func forget(_ process: WatchedProcess) {
        if let exit = entries.removeValue(forKey: process)?.exit { poller?.remove(exit) }
        guard entries.isEmpty else { return }
        login.stop()
        poller?.stop()
        poller = nil
        terminalTimer?.cancel()
        deadlineTimer?.cancel()
        (terminalTimer, deadlineTimer) = (nil, nil)
    }

    private func start() {
        do {
            let poller = try DescriptorPoller(eventLoop: eventLoop)
            self.poller = poller
            login.start(poller: poller) { [weak self] in self?.scheduleReview() }
        } catch {
            logger.error("Nobody is in use, because there is no way to wait for changes: \(error).")
        }
    }
}

// MARK: Review

extension UsageWatch {
    /// Looks at all processes in a moment, once for all reasons that come up until then.
    private func scheduleReview() {
        guard !isReviewScheduled, !entries.isEmpty else { return }
        isReviewScheduled = true
        eventLoop.assumeIsolated().execute { [self] in
            isReviewScheduled = false
            review { _ in true }
        }
    }

    /// Gathers evidence about some processes and reports what has changed.
    private func review(where isDue: (Entry) -> Bool) {
        let instant = now()
        var events: [UsageEvent] = []
        for (process, var entry) in entries where isDue(entry) {
            entry.update(process, login: login, at: instant)
            if let isInUse = entry.takeReport(at: instant) {
                events.append(.changed(process, isInUse: isInUse))
            }
            entries[process] = entry
        }
        setTimers(at: instant)
        for event in events {
            // A handler of an earlier event may have stopped watching.
            if case .changed(let process, _) = event, entries[process] == nil { continue }
            handler(event)
        }
    }

    private func setTimers(at instant: ContinuousClock.Instant) {
        if !entries.values.contains(where: \.hasTerminal) {
            terminalTimer?.cancel()
            terminalTimer = nil
        } else if terminalTimer == nil {
            terminalTimer = eventLoop.assumeIsolated().scheduleTask(in: Self.terminalInterval) { [weak self] in
                self?.terminalTimer = nil
                self?.review(where: \.hasTerminal)
            }
        }
        deadlineTimer?.cancel()
        let deadlines = entries.values.compactMap(\.inUse.deadline).filter { $0 > instant }
        deadlineTimer = deadlines.min().map { deadline in
            eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(deadline - instant)) { [weak self] in
                self?.review { $0.inUse.deadline != nil }
            }
        }
    }
}
