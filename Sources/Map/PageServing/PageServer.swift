import Glibc
package import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// A server of a page on a port of the loopback interface, for the user that runs the program.
///
/// The loopback interface is open to every user of a machine, so a connection of another user is closed before any of
/// it is read. The address passed to the closure of ``run(onReady:)`` contains a one-time code, which the browser
/// exchanges for a cookie.
package final class PageServer<Responder: HTTPResponder>: Service where Responder.Context == BasicRequestContext {
    private let port: Int
    private let sessions: BrowserSessionStore
    private let hub: PageHub
    private let notices: Notices
    private let responder: Responder
    /// Enough for sixteen browsers with six connections each, including their streams of events.
    private let maximumConnections: Int
    private let idleLimit: Duration?
    private let onEnd: @MainActor @Sendable () -> Void
    private let boundPort = Mutex<Int?>(nil)
    private let onReady = Mutex<(@Sendable @MainActor (String) -> Void)?>(nil)

    /// Creates a server at `port`.
    ///
    /// - Parameters:
    ///   - port: A TCP port of the loopback interface, 1 to 65535; 0 selects a free one.
    ///   - hub: The pages, which get heartbeats.
    ///   - responder: What responds to requests; it admits them by a ``PageGate`` with the same sessions.
    ///   - idleLimit: The time after which the server ends if there is no page; `nil` for never.
    ///   - onEnd: Called when the server ends, before its connections close.
    package init(
        port: Int, sessions: BrowserSessionStore, hub: PageHub, notices: Notices, responder: Responder,
        maximumConnections: Int = 256, idleLimit: Duration?, onEnd: @escaping @MainActor @Sendable () -> Void
    ) {
        (self.port, self.sessions, self.hub, self.notices) = (port, sessions, hub, notices)
        (self.responder, self.maximumConnections, self.idleLimit) = (responder, maximumConnections, idleLimit)
        self.onEnd = onEnd
    }

    /// Returns an address that shows the page in a browser of this user, once; `nil` while the server is not running.
    package func makeAddress() -> String? {
        boundPort.withLock { $0 }.map { "http://127.0.0.1:\($0)/\(sessions.root.text)/enter/\(sessions.issueCode())" }
    }

    /// Runs the server until the process receives SIGINT or SIGTERM, the task is cancelled or the limit of idleness is
    /// reached.
    ///
    /// - Parameter onReady: Called on the main actor with an address once the server listens.
    /// - Throws: ``PortError`` if the port is in use.
    package func run(onReady: @escaping @Sendable @MainActor (String) -> Void) async throws {
        whenReady(onReady)
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        // Pages are notified and disconnect well before; a page that does not read is not waited for.
        configuration.maximumGracefulShutdownDuration = .milliseconds(700)
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Calls `onReady` with an address once the server listens.
    package func whenReady(_ onReady: @escaping @Sendable @MainActor (String) -> Void) {
        self.onReady.withLock { $0 = onReady }
    }

    /// Runs the server as a service of a `ServiceGroup`. Throws as ``run(onReady:)`` does.
    package func run() async throws {
        let connections = ConnectionLimit(maximumConnections)
        let (user, notices) = (getuid(), notices)
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        PeerCheckHandler(owner: user, notices: notices), ConnectionLimitHandler(connections),
                    ], idleTimeout: .seconds(60),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 8192, maxHeaderListSize: 16384, maxHeaderFieldCount: 64))),
            configuration: .init(
                address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { [weak self] channel in await self?.didStart(channel) }, logger: quiet)
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup { group in
                group.addTask { [hub, idleLimit] in
                    var idleness = Idleness(limit: idleLimit, start: .now)
                    while (try? await Task.sleep(for: .seconds(3))) != nil {
                        await hub.sendHeartbeat()
                        notices.flush()
                        if idleness.isOver(isUsed: await !hub.isEmpty, at: .now) { return }
                    }
                }
                group.addTask { [port] in
                    do {
                        try await application.run()
                    } catch let error as IOError {
                        throw PortError(port: port, errorNumber: error.errnoCode)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } onGracefulShutdown: { [onEnd] in
            // An unstructured task, because the handler is synchronous.
            Task { await onEnd() }
        }
        await onEnd()
    }

    private func didStart(_ channel: any Channel) async {
        boundPort.withLock { $0 = channel.localAddress?.port }
        guard let onReady = onReady.withLock({ $0 }), let address = makeAddress() else { return }
        await onReady(address)
        // Printed lines would wait in a buffer where standard output is a pipe, as in a unit.
        fflush(nil)
    }
}

/// The logger for NIO and Hummingbird, which log every connection; the notable events are logged elsewhere.
private let quiet: Logger = {
    var logger = Logger(label: "org.locationd.page.server")
    logger.logLevel = .error
    return logger
}()

/// The time for which there has been no page.
struct Idleness {
    let limit: Duration?
    var start: ContinuousClock.Instant

    /// Returns true if the limit is reached.
    mutating func isOver(isUsed: Bool, at now: ContinuousClock.Instant) -> Bool {
        if isUsed { start = now }
        return limit.map { now - start >= $0 } ?? false
    }
}

/// An error of a server that cannot listen at its port.
package struct PortError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The port, 0 to 65,535.
    package let port: Int
    /// The error number of the system, such as `EADDRINUSE`.
    package let errorNumber: Int32

    package init(port: Int, errorNumber: Int32) { (self.port, self.errorNumber) = (port, errorNumber) }

    /// A sentence with the port, the reason, and the remedy.
    package var description: String {
        switch errorNumber {
        case EADDRINUSE:
            "Port \(port) is in use by another program. Choose another port, or 0 for any that is free."
        case EACCES:
            "Port \(port) is reserved for programs of root. Choose one above 1023, or 0 for any that is free."
        default: "The page cannot be served at port \(port): \(String(cString: strerror(errorNumber)))."
        }
    }
}
