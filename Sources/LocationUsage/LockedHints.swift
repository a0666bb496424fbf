import LinuxPlumbing
import CSystemd
import Glibc
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
        /// The bus or logind is gone; this object cannot be used any more.
        case failed(SystemdError)
    }

    /// The timeout of a query, in microseconds; logind needs milliseconds.
    private static let timeout: UInt64 = 5_000_000
    /// The prefix of session paths on the bus.
    private static let sessionPath = "/org/freedesktop/login1/session"

    private let eventLoop: any EventLoop
    private let poller: DescriptorPoller
    private let onEvent: (Event) -> Void
    private var bus: OpaquePointer?
    /// A duplicate, because sd-bus closes its own when the connection breaks, and the number may be reused.
    private var descriptor: Int32 = -1
    private var watch: DescriptorPoller.Watch?
    private var timer: Scheduled<Void>?
    private var hints: [String: LockedHint] = [:]

    init(eventLoop: any EventLoop, poller: DescriptorPoller, onEvent: @escaping (Event) -> Void) throws(SystemdError) {
        self.eventLoop = eventLoop
        self.poller = poller
        self.onEvent = onEvent
        do throws(SystemdError) {
            try SystemdError.check("opening the system bus", sd_bus_open_system(&bus))
            let own = try SystemdError.check("opening the system bus", sd_bus_get_fd(bus))
            descriptor = fcntl(own, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw SystemdError("opening the system bus", -errno) }
            sd_bus_set_method_call_timeout(bus, Self.timeout)
            try subscribe()
            watch = poller.add(descriptor) { [weak self] in self?.process() }
            arm()
        } catch {
            close()
            throw error
        }
    }

    /// True if the session is locked; `nil` while logind is being asked, after which `.changed` follows.
    func isLocked(session id: String) -> Bool? {
        if let hint = hints[id] { return hint.isLocked }
        let hint = LockedHint { [weak self] result in self?.answered(result, about: id) }
        hints[id] = hint
        ask(id, hint)
        return nil
    }

    /// Discards sessions that have ended.
    func forgetSessions(where isOver: (String) -> Bool) {
        hints = hints.filter { !isOver($0.key) }
    }

    func close() {
        timer?.cancel()
        if let watch { poller.remove(watch) }
        hints = [:]
        Glibc.close(descriptor)
        sd_bus_close_unref(bus)
        (bus, descriptor, watch, timer) = (nil, -1, nil, nil)
    }
}

// MARK: Asking

extension LockedHints {
    /// The match lives as long as the connection. The answer to this request shows that the bus works.
    private func subscribe() throws(SystemdError) {
        try SystemdError.check(
            "watching sessions on the bus",
            sd_bus_add_match_async(
                bus, nil,
                "type='signal',sender='org.freedesktop.login1',path_namespace='\(Self.sessionPath)',"
                    + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'",
                { message, context, _ in
                    if let message { LockedHints.from(context)?.sessionChanged(message) }
                    return 0
                },
                { message, context, _ in
                    LockedHints.from(context)?.subscribed(error: sd_bus_message_get_errno(message))
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque()))
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> LockedHints? {
        context.map { Unmanaged<LockedHints>.fromOpaque($0).takeUnretainedValue() }
    }

    private func subscribed(error: Int32) {
        if error == 0 { onEvent(.connected) } else { fail(SystemdError("watching sessions on the bus", -error)) }
    }

    private func sessionChanged(_ message: OpaquePointer) {
        var name: UnsafeMutablePointer<CChar>?
        defer { free(name) }
        // Anybody can send a signal to this connection alone, and sd-bus leaves it to the bus to check the sender,
        // which the bus does only for broadcast signals.
        guard sd_bus_message_get_destination(message) == nil,
            let path = sd_bus_message_get_path(message), sd_bus_path_decode(path, Self.sessionPath, &name) > 0,
            let name, let id = String(validatingCString: name), let hint = hints[id]
        else { return }
        if hint.takeChange(from: message) { onEvent(.changed(session: id)) }
    }

    private func ask(_ id: String, _ hint: LockedHint) {
        var path: UnsafeMutablePointer<CChar>?
        defer { free(path) }
        let result = sd_bus_path_encode(Self.sessionPath, id, &path)
        guard result >= 0, let path, let bus else { return }
        hint.ask(bus: bus, path: path)
        arm()
    }

    private func answered(_ error: SystemdError?, about id: String) {
        if let error { fail(error) } else { onEvent(.changed(session: id)) }
    }
}

// MARK: The connection

extension LockedHints {
    private func process() {
        // A callback may call `close()`.
        while let bus {
            let result = sd_bus_process(bus, nil)
            if result < 0 { return fail(SystemdError("the system bus", result)) }
            if result == 0 { break }
        }
        arm()
    }

    /// Waits for the events that sd-bus asks for.
    private func arm() {
        guard let bus, let watch else { return }
        // An error means a broken connection. That is always reported, and `process` then handles it.
        poller.resume(watch, events: max(sd_bus_get_events(bus), 0))
        timer?.cancel()
        timer = nil
        guard let deadline = NIODeadline(of: bus) else { return }
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in self?.process() }
    }

    private func fail(_ error: SystemdError) {
        guard bus != nil else { return }
        close()
        onEvent(.failed(error))
    }
}
