import LinuxPlumbing
import LocationPolicy
import Logging
import NIOCore
import Pacing

/// The state of sessions from logind: from its files in `/run/systemd`, and locks from the bus.
///
/// Without either, it cannot be determined whether a session is attended, so no process is in use until both are available again.
/// While started, it keeps retrying at growing intervals.
final class Logind: LoginSource {
    private let eventLoop: any EventLoop
    private let logger: Logger

    private var poller: DescriptorPoller?
    private var onChange: (LoginChange) -> Void = { _ in }

    private var files: LoginFiles?
    private var locks: LockedHints?
    /// The states read from logind's files, without locks. Valid until the files change.
    private var sessions: [String: LoginSession] = [:]
    private var displays: [UInt32: String?] = [:]

    private var retry: LoopTimer?
    private var backOff = BackOff(from: .milliseconds(250), to: .seconds(30))
    /// True after a failure was logged, until logind is available again.
    private var hasReportedFailure = false

    init(eventLoop: any EventLoop, logger: Logger) {
        self.eventLoop = eventLoop
        self.logger = logger
    }

    func start(poller: DescriptorPoller, onChange: @escaping (LoginChange) -> Void) {
        self.poller = poller
        self.onChange = onChange
        backOff.reset()
        open()
    }

    func stop() {
        close()
        retry?.cancel()
        retry = nil
        poller = nil
        onChange = { _ in }
    }

    func place(of processID: Int32, mayBeActivated: Bool) -> LoginPlace {
        LoginPlace(UnitMembership(of: processID), mayBeActivated: mayBeActivated)
    }

    func state(of place: LoginPlace) -> UsageEvidence.Place? {
        guard let locks else { return .unknown }
        switch place {
        case .background: return .background
        case .session(let id): return state(ofSession: id, locks).map { .session($0) }
        case .applications(let user):
            guard let id = displaySession(of: user) else { return .application(shownIn: nil) }
            return state(ofSession: id, locks).map { .application(shownIn: $0) }
        }
    }

    /// The state of a session; `nil` while logind is being asked about its lock.
    private func state(ofSession id: String, _ locks: LockedHints) -> LoginSession? {
        guard let isLocked = locks.isLocked(session: id) else { return nil }
        var session = sessions[id] ?? LoginFiles.state(ofSession: id)
        sessions[id] = session
        session.isLocked = isLocked
        return session
    }

    private func displaySession(of user: UInt32) -> String? {
        if let known = displays[user] { return known }
        let session = LoginFiles.displaySession(of: user)
        displays[user] = session
        return session
    }
}

// MARK: Connection

extension Logind {
    private func open() {
        guard let poller else { return }
        do {
            files = try LoginFiles(poller: poller) { [weak self] in self?.filesChanged() }
            locks = try LockedHints(eventLoop: eventLoop, poller: poller) { [weak self] event in
                self?.receive(event)
            }
            onChange(.everything)
        } catch {
            fail(error)
        }
    }

    private func receive(_ event: LockedHints.Event) {
        switch event {
        case .connected:
            backOff.reset()
            if hasReportedFailure { logger.notice("logind can be asked again.") }
            hasReportedFailure = false
        case .changed(let session): onChange(.session(session))
        case .failed(let error): fail(error)
        }
    }

    private func filesChanged() {
        (sessions, displays) = ([:], [:])
        if let existing = LoginFiles.sessions() { locks?.forgetSessions { !existing.contains($0) } }
        onChange(.everything)
    }

    private func fail(_ error: SystemdError) {
        close()
        if !hasReportedFailure {
            logger.notice("No program counts as in use, because logind cannot be asked about sessions: \(error).")
            hasReportedFailure = true
        }
        retry = eventLoop.makeTimer(in: TimeAmount(backOff.next())) { [weak self] in self?.open() }
        onChange(.everything)
    }

    private func close() {
        files?.close()
        locks?.close()
        (files, locks, sessions, displays) = (nil, nil, [:], [:])
    }
}
