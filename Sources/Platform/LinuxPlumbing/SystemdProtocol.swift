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
        try listeningSockets(portsNamed: nil).socket
    }

    /// The listening sockets from the service manager: one Unix stream socket, or none if the daemon has to create its own, and
    /// those of a port, by the name that their unit gives them (`FileDescriptorName=`).
    package static func listeningSockets(
        portsNamed name: String?
    ) throws(UnusableListeningSocket) -> (socket: Int32?, ports: [Int32]) {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count > 0, let names else { return (nil, []) }
        defer {
            for index in 0..<Int(count) { free(names[index]) }
            free(names)
        }
        var (sockets, ports): ([Int32], [Int32]) = ([], [])
        for index in 0..<count {
            let descriptor = SD_LISTEN_FDS_START + index
            let isPort = name != nil && names[Int(index)].flatMap { String(validatingCString: $0) } == name
            let isUsable =
                isPort
                ? sd_is_socket(descriptor, AF_UNSPEC, Int32(SOCK_STREAM.rawValue), 1) > 0
                : sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0
            guard isUsable else { throw UnusableListeningSocket(count: Int(count)) }
            if isPort { ports.append(descriptor) } else { sockets.append(descriptor) }
        }
        guard sockets.count <= 1 else { throw UnusableListeningSocket(count: sockets.count) }
        return (sockets.first, ports)
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
