import Glibc
import LinuxPlumbing
import LocationConfiguration
import LocationCore
import Logging
import NIOCore
import Pacing
import ServiceLifecycle

/// Reports liveness and status to the service manager from the event loop, so that a stuck loop is noticed. Also stops
/// the listener, and the daemon with it, after `ExitOnIdle` seconds without need.
struct Heartbeat: DaemonPart {
    /// The longest interval between beats while locations flow, or if the daemon may exit when idle.
    private static let busyInterval = Duration.seconds(10)
    /// The interval otherwise, without a watchdog: longer, because each beat wakes an idle daemon.
    private static let idleInterval = Duration.seconds(30)

    let hub: Hub

    func run() async throws {
        // Without idle exit and a service manager that listens, nothing has to wake the daemon.
        let exitsOnIdle = await hub.withCore { $0.configuration.daemon.exitOnIdle } != nil
        guard SystemdProtocol.isListening || exitsOnIdle else {
            try await gracefulShutdown()
            return
        }
        let pulse = Pulse()
        defer { hub.eventLoop.execute { pulse.stop() } }
        await Self.beat(hub, pulse)
        // The status, and the interval, change with a location.
        let firstLocations = await hub.withCore { $0.firstLocations }
        for await _ in firstLocations.cancelOnGracefulShutdown() { await Self.beat(hub, pulse) }
    }

    private static func beat(_ hub: isolated Hub, _ pulse: Pulse) {
        SystemdProtocol.notifyAlive(status: ServiceStatus.line(hub.core.status(for: geteuid())))
        let limit = hub.core.configuration.daemon.exitOnIdle
        // A client may have just connected: then the daemon continues, and the idle time starts again.
        if pulse.hasLasted(isIdle: hub.core.isIdle(at: .now), limit: limit), hub.core.closeIfUnused() {
            hub.logger.notice("Exiting: idle for \(limit ?? 0) s.")
            SystemdProtocol.notifyStopping()
        }
        let isBusy = hub.core.hasLocation || limit != nil
        let interval = min(
            SystemdProtocol.watchdogTime.map { $0 / 2 } ?? idleInterval, isBusy ? busyInterval : idleInterval)
        pulse.next?.cancel()
        pulse.next = hub.eventLoop.makeTimer(in: TimeAmount(interval)) { [hub] in
            hub.assumeIsolated { Self.beat($0, pulse) }
        }
    }

    /// The state between beats. Sendable because only the event loop uses it.
    private final class Pulse: @unchecked Sendable {
        var next: LoopTimer?
        /// The beginning of the idle time.
        private var beginning: NIODeadline?

        /// Updates the idle time; returns true after `limit` seconds.
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
