import Logging
import NIOCore

/// The records of watched conditions and visits on disk.
///
/// A failure to save is logged once. Clients get their events in any case; only events after a restart may be lost.
///
/// Confined to the event loop.
final class WatchedRecords {
    private let disk: DecisionStore
    private let queue: CoreQueue
    private let logger: Logger
    private var hasLoggedFailure = false

    init(disk: DecisionStore, queue: CoreQueue, logger: Logger) {
        (self.disk, self.queue, self.logger) = (disk, queue, logger)
    }

    /// Saves something, then calls `completion`, also after a failure.
    func save(
        _ body: (DecisionStore) -> EventLoopFuture<Void>, completion: @escaping () -> Void = {}
    ) {
        queue.take(body(disk)) { [self] result in
            if case .failure(let error) = result { logFailure(error) }
            completion()
        }
    }

    /// Saves something, then calls `answer`, with the error if that failed.
    func save(
        _ body: (DecisionStore) -> EventLoopFuture<Void>, answer: @escaping ((any Error)?) -> Void
    ) {
        queue.take(body(disk)) { result in
            if case .failure(let error) = result { answer(error) } else { answer(nil) }
        }
    }

    private func logFailure(_ error: any Error) {
        if !hasLoggedFailure { logger.error("A change of what is watched could not be saved: \(error)") }
        hasLoggedFailure = true
    }
}
