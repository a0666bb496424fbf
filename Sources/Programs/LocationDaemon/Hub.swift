import LocationCore
import Logging
import NIOCore

/// The access to the core for parts of the daemon outside its event loop, which start, reload and stop it. Events on
/// the loop itself use `assumeIsolated`.
actor Hub {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }
    nonisolated let logger: Logger

    /// The core. Use it on the event loop only, which is checked.
    nonisolated var core: Core {
        eventLoop.preconditionInEventLoop()
        return confined
    }
    private nonisolated let confined: Core

    init(_ core: Core) {
        eventLoop = core.eventLoop
        logger = core.logger
        confined = core
    }

    /// Runs `body` with the core on its event loop.
    func withCore<Result: Sendable>(_ body: @Sendable (Core) throws -> Result) rethrows -> Result { try body(core) }
}
