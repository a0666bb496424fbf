import Glibc
import LocationConfiguration
import LocationInterface
import Logging
import NIOCore
import ServiceLifecycle
import Varlink

/// Tells the service manager, from the event loop itself, that the daemon works and how things stand; a loop that is
/// stuck tells nothing. Ends the listener, and the daemon with it, when nobody has needed it for as long as `ExitOnIdle`
/// says.
struct Heartbeat: DaemonPart {
    /// Between two beats where no watchdog asks for more: while locations flow, or an idle daemon is to end, and otherwise,
    /// when each beat wakes a daemon that has nothing to do.
    private static let busyInterval = Duration.seconds(10)
    private static let idleInterval = Duration.seconds(30)

    let hub: Hub

    func run() async throws {
        // Without anybody to tell, nothing has to wake the daemon.
        let exitsOnIdle = await hub.configuration.daemon.exitOnIdle != nil
        guard ServiceManager.isListening || exitsOnIdle else {
            try await gracefulShutdown()
            return
        }
        let pulse = Pulse()
        hub.eventLoop.execute { [hub] in
            hub.assumeIsolated { hub in
                Self.beat(hub, pulse)
                hub.core.publisher.onFirstLocation = { [unowned hub] in hub.assumeIsolated { Self.beat($0, pulse) } }
            }
        }
        defer { hub.eventLoop.execute { pulse.stop() } }
        try await gracefulShutdown()
    }

    private static func beat(_ hub: isolated Hub, _ pulse: Pulse) {
        ServiceManager.notifyAlive(status: ServiceStatus.line(hub.core.status(for: geteuid())))
        let limit = hub.configuration.daemon.exitOnIdle
        // Somebody may have connected a moment ago: then it goes on, and the time begins anew.
        if pulse.hasLasted(isIdle: hub.core.isDispensable(at: .now), limit: limit), hub.endIfUnused() {
            hub.logger.notice("Exiting: idle for \(limit ?? 0) s.")
            ServiceManager.notifyStopping()
        }
        let isBusy = hub.core.publisher.fresh != nil || limit != nil
        let interval = min(
            ServiceManager.watchdogTime.map { $0 / 2 } ?? idleInterval, isBusy ? busyInterval : idleInterval)
        pulse.next?.cancel()
        pulse.next = hub.eventLoop.scheduleTask(in: TimeAmount(interval)) { [hub] in
            hub.assumeIsolated { Self.beat($0, pulse) }
        }
    }

    /// What is between the beats. Sendable: only the event loop uses it.
    private final class Pulse: @unchecked Sendable {
        /// The next beat.
        var next: Scheduled<Void>?
        /// Since when nobody has needed the daemon.
        private var beginning: NIODeadline?

        /// Notes how it is now; whether nobody has needed it for `limit` seconds.
        func hasLasted(isIdle: Bool, limit: Int?) -> Bool {
            guard isIdle, let limit else {
                beginning = nil
                return false
            }
            let beginning = beginning ?? .now()
            self.beginning = beginning
            return .now() - beginning >= .seconds(Int64(limit))
        }

        func stop() { next?.cancel() }
    }
}
