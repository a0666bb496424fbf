import LocationConfiguration
import LocationInterface
import Logging
import NIOCore
import ServiceLifecycle
import Varlink

/// Tells the service manager, from the event loop itself, that the daemon works and how things stand; a loop that is
/// stuck tells nothing. Ends the listener, and the daemon with it, when nobody has needed it for as long as `ExitOnIdle`
/// says.
struct Heartbeat: Service {
    /// Between two beats where no watchdog asks for more.
    private static let longestInterval = Duration.seconds(10)

    let hub: Hub

    func run() async throws {
        let interval = min(ServiceManager.watchdogTime.map { $0 / 2 } ?? Self.longestInterval, Self.longestInterval)
        // Without anybody to tell, nothing has to wake the daemon.
        let exitsOnIdle = await hub.configuration.daemon.exitOnIdle != nil
        guard ServiceManager.isListening || exitsOnIdle else {
            try await gracefulShutdown()
            return
        }
        let beats = hub.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(interval)) {
            [hub, idleness = Idleness()] _ in
            hub.assumeIsolated { hub in
                ServiceManager.notifyAlive(status: ServiceStatus.line(hub.status()))
                let isIdle = hub.isDispensable(at: .now)
                guard idleness.hasLasted(isIdle: isIdle, limit: hub.configuration.daemon.exitOnIdle) else { return }
                // Somebody may have connected a moment ago: then it goes on, and the time begins anew.
                guard hub.server?.shutdownIfUnused() == true else { return }
                hub.server = nil
                hub.logger.notice("Nobody has been here for a while, so locationd ends until somebody comes.")
                ServiceManager.notifyStopping()
            }
        }
        defer { beats.cancel() }
        try await gracefulShutdown()
    }

    /// Since when nobody has needed the daemon. Sendable: only the event loop uses it.
    private final class Idleness: @unchecked Sendable {
        private var beginning: NIODeadline?

        /// Notes how it is now; whether it has been so for `limit` seconds.
        func hasLasted(isIdle: Bool, limit: Int?) -> Bool {
            guard isIdle, let limit else {
                beginning = nil
                return false
            }
            let beginning = beginning ?? .now()
            self.beginning = beginning
            return .now() - beginning >= .seconds(Int64(limit))
        }
    }
}
