import CSystemd
import LocationPolicy
import Logging
import NIOCore

/// What logind knows of sessions: their state from its files in `/run/systemd`, whether they are locked from the bus.
///
/// Without either nobody can say whether a session is attended, so without either every process is in the background,
/// until both are there again. It keeps trying, ever more rarely, while it is started.
final class Logind: LoginSource {
    private let eventLoop: any EventLoop
    private let logger: Logger

    private var poller: DescriptorPoller?
    private var onChange: () -> Void = {}

    private var files: LoginFiles?
    private var locks: LockedHints?
    /// Valid until logind reports a change.
    private var sessions: [String: LoginSession] = [:]

    private var retry: Scheduled<Void>?
    private var retryDelay = firstRetryDelay
    private static let firstRetryDelay = TimeAmount.milliseconds(250)
    private static let lastRetryDelay = TimeAmount.seconds(30)
    /// Said once for as long as it lasts.
    private var hasReportedFailure = false

    init(eventLoop: any EventLoop, logger: Logger) {
        self.eventLoop = eventLoop
        self.logger = logger
    }

    func start(poller: DescriptorPoller, onChange: @escaping () -> Void) {
        self.poller = poller
        self.onChange = onChange
        retryDelay = Self.firstRetryDelay
        open()
    }

    func stop() {
        close()
        retry?.cancel()
        retry = nil
        poller = nil
        onChange = {}
    }

    func place(of processID: Int32) -> UsageEvidence.Place? {
        guard locks != nil else { return .background }
        if let id = LoginFiles.session(of: processID) {
            return state(ofSession: id).map { .session($0) }
        }
        guard let user = LoginFiles.userOfApplication(processID) else { return .background }
        guard let id = LoginFiles.displaySession(of: user) else { return .application(shownIn: nil) }
        return state(ofSession: id).map { .application(shownIn: $0) }
    }

    /// `nil` while logind is being asked.
    private func state(ofSession id: String) -> LoginSession? {
        if let session = sessions[id] { return session }
        guard let locks, let isLocked = locks.isLocked(session: id) else { return nil }
        let session = LoginFiles.state(ofSession: id, isLocked: isLocked)
        sessions[id] = session
        return session
    }
}

// MARK: Connection

extension Logind {
    private func open() {
        guard let poller else { return }
        do {
            files = try LoginFiles(poller: poller) { [weak self] in self?.changed() }
            locks = try LockedHints(eventLoop: eventLoop, poller: poller) { [weak self] event in
                self?.receive(event)
            }
            onChange()
        } catch {
            fail(error)
        }
    }

    private func receive(_ event: LockedHints.Event) {
        switch event {
        case .connected:
            retryDelay = Self.firstRetryDelay
            if hasReportedFailure { logger.notice("logind can be asked again.") }
            hasReportedFailure = false
        case .changed: changed()
        case .failed(let error): fail(error)
        }
    }

    private func changed() {
        sessions = [:]
        locks?.forgetSessions { !LoginFiles.exists(session: $0) }
        onChange()
    }

    private func fail(_ error: SystemdError) {
        close()
        if !hasReportedFailure {
            logger.notice("Nobody is in use, because logind cannot be asked about sessions: \(error).")
            hasReportedFailure = true
        }
        retry = eventLoop.assumeIsolated().scheduleTask(in: retryDelay) { [weak self] in self?.open() }
        retryDelay = min(retryDelay * 2, Self.lastRetryDelay)
        onChange()
    }

    private func close() {
        files?.close()
        locks?.close()
        (files, locks, sessions) = (nil, nil, [:])
    }
}

/// An error of libsystemd: what was tried and a negative errno.
struct SystemdError: Error, CustomStringConvertible {
    let description: String

    init(_ action: String, _ code: Int32) {
        description = "\(action): \(String(cString: strerror(-code)))"
    }

    /// Passes on a result that is no error.
    @discardableResult
    static func check(_ action: String, _ code: Int32) throws(SystemdError) -> Int32 {
        guard code >= 0 else { throw SystemdError(action, code) }
        return code
    }
}
