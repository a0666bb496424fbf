import Glibc
import LocationConfiguration
import LocationInterface
import Logging
import NIOCore
import ServiceLifecycle

/// Tells the service manager, from the event loop itself, that the daemon works and how things stand; a loop that is
/// stuck tells nothing. Ends, and the daemon with it, when nobody has been there for as long as `ExitOnIdle` says.
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
        let end = hub.eventLoop.makePromise(of: Void.self)
        let beats = hub.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(interval)) {
            [hub, idleness = Idleness()] _ in
            hub.assumeIsolated { hub in
                let status = hub.status(for: geteuid())
                ServiceManager.notifyAlive(status: ServiceStatus.line(status))
                if idleness.hasLasted(isIdle: status.connections == 0, limit: hub.configuration.daemon.exitOnIdle) {
                    hub.logger.notice("Nobody has been here for a while, so locationd ends until somebody comes.")
                    end.succeed()
                }
            }
        }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await end.futureResult.get()
        } onCancelOrGracefulShutdown: {
            end.succeed()
        }
        beats.cancel()
    }

    /// Since when nobody has been there. Sendable: only the event loop uses it.
    private final class Idleness: @unchecked Sendable {
        private var beginning: NIODeadline?

        /// Notes how it is now; whether nobody has been there for `limit` seconds.
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
