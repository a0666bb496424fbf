import LinuxPlumbing
import CSystemd
import LocationPolicy

/// Monitors logind's files about sessions and users, and reads them with libsystemd.
final class LoginFiles {
    private let poller: DescriptorPoller
    private var monitors: [(monitor: OpaquePointer, watch: DescriptorPoller.Watch)] = []

    /// Calls `onChange` whenever a session or a user changes. Fails without logind.
    init(poller: DescriptorPoller, onChange: @escaping () -> Void) throws(SystemdError) {
        self.poller = poller
        // logind writes a change to the file of the session and to that of the user, one after the other.
        for category in ["session", "uid"] {
            var monitor: OpaquePointer?
            let result = sd_login_monitor_new(category, &monitor)
            guard result >= 0, let monitor else {
                close()
                throw SystemdError("watching logind’s sessions", result)
            }
            let index = monitors.count
            let watch = poller.add(sd_login_monitor_get_fd(monitor), events: sd_login_monitor_get_events(monitor)) {
                [weak self] in
                guard let self else { return }
                sd_login_monitor_flush(monitor)
                poller.resume(monitors[index].watch, events: sd_login_monitor_get_events(monitor))
                onChange()
            }
            monitors.append((monitor, watch))
        }
    }

    func close() {
        for (monitor, watch) in monitors {
            poller.remove(watch)
            sd_login_monitor_unref(monitor)
        }
        monitors = []
    }
}

// MARK: Reading

extension LoginFiles {
    /// The session that shows a user's applications; of several, a graphical one.
    static func displaySession(of user: uid_t) -> String? {
        string { sd_uid_get_display(user, $0) }
    }

    /// The existing sessions; `nil` if they cannot be listed now.
    static func sessions() -> Set<String>? { strings { sd_get_sessions($0) }.map { Set($0) } }

    /// The sessions of this user in which a person works and that are not ending; empty without logind.
    static func sessions(of user: uid_t) -> [LoginIdentity] {
        (strings { sd_uid_get_sessions(user, 0, $0) } ?? []).compactMap { id in
            let state = state(ofSession: id)
            guard state.isOfPerson, !state.isClosing else { return nil }
            return LoginIdentity(session: id, isGraphical: state.isGraphical)
        }
    }

    /// The state of a session without its lock, which is not in the files. Unknown properties count as unattended.
    static func state(ofSession id: String) -> LoginSession {
        let state = string { sd_session_get_state(id, $0) }
        let kind = string { sd_session_get_class(id, $0) } ?? ""
        let type = string { sd_session_get_type(id, $0) } ?? ""
        return LoginSession(
            isOfPerson: isOfPerson(class: kind), isGraphical: isGraphical(type: type),
            // A closing session may still be reported as active.
            isActive: sd_session_is_active(id) > 0 && state == "active",
            isClosing: state == "closing")
    }

    /// True for a session of this class in which a person works. Newer versions have several: sd_session_get_class(3).
    static func isOfPerson(class kind: String) -> Bool {
        ["user", "user-early", "user-light", "user-early-light"].contains(kind)
    }

    static func isGraphical(type: String) -> Bool { ["x11", "wayland", "mir"].contains(type) }

    /// Takes over the string that a libsystemd call has allocated.
    private static func string(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> String? {
        var result: UnsafeMutablePointer<CChar>?
        defer { free(result) }
        guard call(&result) >= 0, let result else { return nil }
        return String(validatingCString: result)
    }

    /// Takes over the strings that a libsystemd call has allocated; `nil` if it has failed.
    private static func strings(
        _ call: (UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>) -> Int32
    ) -> [String]? {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = call(&names)
        guard count >= 0 else { return nil }
        guard let names else { return [] }
        defer { free(names) }
        return (0..<Int(count)).compactMap { index in
            defer { free(names[index]) }
            return names[index].flatMap { String(validatingCString: $0) }
        }
    }
}
