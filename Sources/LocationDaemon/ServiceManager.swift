import CSystemd
import Glibc

/// The service manager that started the daemon, if one did: systemd, or whoever speaks its protocols.
enum ServiceManager {
    /// Whether one wants to hear how things stand.
    static var isListening: Bool { getenv("NOTIFY_SOCKET") != nil }

    /// Says that the daemon is ready: its socket answers and its configuration is loaded.
    static func notifyReady() { notify("READY=1") }

    /// Says that the configuration is being read again; `notifyReady` ends that.
    static func notifyReloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
    }

    /// Says that the daemon is on its way out.
    static func notifyStopping() { notify("STOPPING=1\nSTATUS=Ending.") }

    /// Says that the daemon works, and how things stand: one line for people.
    static func notifyAlive(status: String) { notify("WATCHDOG=1\nSTATUS=\(status)") }

    /// Says why the daemon cannot run, so that whoever looks at the service sees it there.
    static func notifyFailure(_ reason: any Error) {
        notify("STATUS=Cannot run: " + "\(reason)".split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    /// The longest time between two `notifyAlive` before the daemon is taken for stuck; `nil` for no limit.
    static var watchdogTime: Duration? {
        var microseconds: UInt64 = 0
        return sd_watchdog_enabled(0, &microseconds) > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
    }

    /// The listening socket it passed; `nil` when the daemon is to make its own.
    static func listeningSocket() throws -> Int32? {
        let count = sd_listen_fds(1)
        guard count > 0 else { return nil }
        guard count == 1, sd_is_socket_unix(SD_LISTEN_FDS_START, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
            throw DaemonError.unusableListeningSocket(count: Int(count))
        }
        return SD_LISTEN_FDS_START
    }

    /// Without a service manager there is nobody to tell, and sd_notify says so by 0; with one that does not listen
    /// nothing could be done about it.
    private static func notify(_ state: String) { _ = sd_notify(0, state) }
}
