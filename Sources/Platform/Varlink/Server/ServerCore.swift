import Pacing
import Logging
import NIOCore

/// The shared state of all connections of a server.
///
/// `@unchecked Sendable` because its mutable state is confined to the one event loop of the server.
final class ServerCore: @unchecked Sendable {
    private static let maximumLingering = 64

    let service: any VarlinkService
    let directory: ServiceDirectory
    /// The limits for new connections.
    var limits: ServerLimits
    let logger: Logger
    let eventLoop: any EventLoop

    /// The connections with messages to process, by account.
    var turns = FairQueue<ObjectIdentifier, ServerConnection>()
    var areTurnsScheduled = false
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    /// The number of connections since they were accepted, which precedes their opening.
    private var channels = 0
    private var lingering = 0
    private var logLimiter = LogLimiter()
    /// Its shutdown; `nil` before it.
    private var currentShutdown: ServerShutdown?
    private var drained: EventLoopPromise<Void>?

    init(service: any VarlinkService, eventLoop: any EventLoop, limits: ServerLimits, logger: Logger) throws {
        self.service = service
        self.directory = try ServiceDirectory(service)
        self.limits = limits
        self.logger = logger
        self.eventLoop = eventLoop
    }

    var isShutDown: Bool { currentShutdown != nil }

    /// True without connections and unfinished work of former ones.
    var isUnused: Bool { channels == 0 && connections.isEmpty }

    /// Counts an accepted connection.
    func accepted(_ channel: any Channel) {
        eventLoop.preconditionInEventLoop()
        channels += 1
        channel.closeFuture.whenComplete { _ in self.channels -= 1 }
    }

    func opened(_ connection: ServerConnection) {
        eventLoop.preconditionInEventLoop()
        connections[ObjectIdentifier(connection)] = connection
        if let currentShutdown { connection.shutdown(currentShutdown.error) }
    }

    func closed(_ connection: ServerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        if connection.closing.isLingering { lingering -= 1 }
        if connections.isEmpty { drained?.succeed() }
    }

    /// Logs a message that a peer has caused, within the rate limit.
    func log(_ line: String) {
        for line in logLimiter.lines(for: line, at: eventLoop.now) { logger.notice("\(line)") }
    }

    /// - Returns: true if one more connection may linger. The limit keeps rejected peers from using up the descriptors.
    func linger() -> Bool {
        guard lingering < Self.maximumLingering else { return false }
        lingering += 1
        return true
    }

    /// Ends every connection in an orderly way, and after `time` at once.
    func shutdown(_ error: VarlinkError?, within time: TimeAmount) -> EventLoopFuture<Void> {
        eventLoop.preconditionInEventLoop()
        if let drained { return drained.futureResult }
        let drained = eventLoop.makePromise(of: Void.self)
        self.drained = drained
        currentShutdown = ServerShutdown(error)
        for connection in connections.values { connection.shutdown(error) }
        if connections.isEmpty { drained.succeed() }
        let deadlines = [
            eventLoop.scheduleTask(in: min(time, limits.firstCallTime)) {
                for connection in self.connections.values { connection.missedFirstCall() }
            },
            eventLoop.scheduleTask(in: time) {
                for connection in self.connections.values { connection.shutdownTimedOut() }
            },
        ]
        drained.futureResult.whenComplete { _ in
            for deadline in deadlines { deadline.cancel() }
        }
        return drained.futureResult
    }
}
