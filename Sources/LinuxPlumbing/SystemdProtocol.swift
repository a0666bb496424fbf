import CSystemd
import Glibc

/// The protocol between a daemon and the service manager that started it: systemd, or another implementation.
package enum SystemdProtocol {
    /// True if a service manager listens for status.
    package static var isListening: Bool { getenv("NOTIFY_SOCKET") != nil }

    /// Reports that the daemon is ready: its socket answers and its configuration is loaded.
    package static func notifyReady() { notify("READY=1") }

    /// Reports that the configuration is being reloaded; `notifyReady` ends that.
    package static func notifyReloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
    }

    /// Reports that the daemon is stopping.
    package static func notifyStopping() { notify("STOPPING=1\nSTATUS=Stopping.") }

    /// Reports liveness and a status line.
    package static func notifyAlive(status: String) { notify("WATCHDOG=1\nSTATUS=\(status)") }

    /// Reports the reason why the daemon cannot run, for its status.
    package static func notifyFailure(_ reason: any Error) {
        notify("STATUS=Cannot run: " + "\(reason)".split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    /// The longest time between two calls of `notifyAlive` before the daemon counts as stuck; `nil` for no limit.
    package static var watchdogTime: Duration? {
        var microseconds: UInt64 = 0
        return sd_watchdog_enabled(0, &microseconds) > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
    }

    /// The listening socket from the service manager; `nil` if the daemon has to create its own.
    package static func listeningSocket() throws(UnusableListeningSocket) -> Int32? {
        let count = sd_listen_fds(1)
        guard count > 0 else { return nil }
        guard count == 1, sd_is_socket_unix(SD_LISTEN_FDS_START, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
            throw UnusableListeningSocket(count: Int(count))
        }
        return SD_LISTEN_FDS_START
    }

    /// Results are ignored: sd_notify does nothing without a service manager, and if one does not listen, there is no
    /// remedy.
    private static func notify(_ state: String) { _ = sd_notify(0, state) }
}

/// The service manager passed something other than one listening Unix stream socket.
package struct UnusableListeningSocket: Error, CustomStringConvertible {
    /// The number of sockets that it passed.
    package let count: Int

    /// A sentence with the problem and its remedy.
    package var description: String {
        "The service manager passed \(count) sockets; one listening Unix stream socket is needed. See the socket's unit."
    }
}
