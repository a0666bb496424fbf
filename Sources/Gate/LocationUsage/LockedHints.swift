import LinuxPlumbing
import NIOCore

/// The locks of sessions, as desktops report them to logind, read from the bus.
///
/// A session is queried once, on first use; afterwards logind signals changes. A restarted logind has forgotten all
/// locks (as of version 252), so the previous state remains in force until it signals a change.
final class LockedHints {
    enum Event {
        /// The bus is connected; sessions can be queried.
        case connected
        /// The lock of this session was answered or has changed.
        case changed(session: String)
        /// The bus or logind has ended; this object can no longer be used.
        case failed(SystemdError)
    }

    /// The prefix of session paths on the bus.
    private static let sessionPath = "/org/freedesktop/login1/session"

    private let onEvent: (Event) -> Void
    private var bus: BusConnection?
    private var changes: BusConnection.Slot?
    private var hints: [String: LockedHint] = [:]

    init(eventLoop: any EventLoop, poller: DescriptorPoller, onEvent: @escaping (Event) -> Void) throws(SystemdError) {
        self.onEvent = onEvent
        let bus = try BusConnection(to: .system, eventLoop: eventLoop, poller: poller) { [weak self] in self?.fail($0) }
        self.bus = bus
        do throws(SystemdError) {
            changes = try bus.handleSignals(
                matching: "type='signal',sender='org.freedesktop.login1',path_namespace='\(Self.sessionPath)',"
                    + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'",
                // The answer shows that the bus works.
                confirmation: { [weak self] in self?.subscribed($0) }
            ) { [weak self] in self?.sessionChanged($0) }
        } catch {
            close()
            throw error
        }
    }

    /// True if the session is locked; `nil` while logind is being asked, after which `.changed` follows.
    func isLocked(session id: String) -> Bool? {
        if let hint = hints[id] { return hint.isLocked }
        let hint = LockedHint { [weak self] error in
            guard let self else { return }
            if let error { fail(error) } else { onEvent(.changed(session: id)) }
        }
        hints[id] = hint
        if let bus, let path = BusPath.encode(id, below: Self.sessionPath) { hint.ask(bus: bus, path: path) }
        return nil
    }

    /// Discards sessions that have ended.
    func forgetSessions(where isOver: (String) -> Bool) {
        hints = hints.filter { !isOver($0.key) }
    }

    func close() {
        bus?.close()
        (bus, changes, hints) = (nil, nil, [:])
    }

    private func subscribed(_ answer: IncomingMessage) {
        if answer.errorName == nil {
            onEvent(.connected)
        } else {
            fail(SystemdError("watching sessions on the bus", -answer.errorCode))
        }
    }

    private func sessionChanged(_ message: IncomingMessage) {
        // Anybody can send a signal to this connection alone, and sd-bus leaves it to the bus to check the sender,
        // which the bus does only for broadcast signals.
        guard !message.isUnicast, let id = BusPath.decode(message.path, below: Self.sessionPath), let hint = hints[id],
            hint.takeChange(from: message)
        else { return }
        onEvent(.changed(session: id))
    }

    private func fail(_ error: SystemdError) {
        guard bus != nil else { return }
        close()
        onEvent(.failed(error))
    }
}
