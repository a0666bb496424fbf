import Glibc
import LocationModel
import LocationSharing
import Logging

/// The queue of a destination, whose file may be missing, damaged, on a full disk, or not to be deleted. What goes wrong is logged, and
/// nothing waits for it.
///
/// Not `Sendable`: one thread uses it.
final class QueueFile {
    /// The least time between two erasures. Each makes the disk write three times, which wears a memory card if it follows each of ten
    /// positions a second.
    static let erasureInterval = Duration.seconds(1)
    /// The least time between two lines of the log.
    private static let logInterval = Duration.seconds(3600)

    private let name: String
    private let directory: ShareDirectory
    private let logger: Logger
    private var queue: PositionQueue?
    /// True if a file is still to be deleted. Nothing is read from it or added to it.
    private var isUndeleted = false
    private var lastErasure: ContinuousClock.Instant?
    private var problemLogged: ContinuousClock.Instant?

    /// The queue that a share has left on disk, or none. Deletes that of a share that keeps none.
    ///
    /// - Throws: if it cannot be used now, as on a full disk, or if others may read it.
    init(of destination: Destination, in directory: ShareDirectory, logger: Logger) throws {
        (name, self.directory, self.logger) = (destination.name, directory, logger)
        let file = directory.queueFile(of: name)
        guard access(file, F_OK) == 0 else { return }
        guard let start = destination.share?.queue else {
            try directory.removeQueue(of: name)
            return
        }
        do throws(PositionQueueError) {
            queue = try PositionQueue(file, start: start)
        } catch {
            guard error.isDamaged else { throw error }
            logger.error("\(name): \(error) What it kept is lost.")
            try directory.removeQueue(of: name)
        }
    }

    var isThere: Bool { queue != nil }

    /// The number of the last position; 0 if there is none.
    func lastSequence() throws -> Int64 { try queue?.lastSequence() ?? 0 }

    /// Adds a position to the queue with this start. One that cannot be written is sent all the same.
    func append(_ record: ShareRecord, to start: Timestamp) {
        guard !isUndeleted else { return }
        do throws(PositionQueueError) {
            if queue == nil { queue = try PositionQueue(directory.queueFile(of: name), start: start) }
            if try queue?.append(record, now: .now()) ?? 0 > 0 {
                log("the queue is full, or a week old: its oldest positions are left out.")
            }
        } catch {
            handle(error)
        }
    }

    /// The oldest positions, and the number of damaged ones that are left out.
    func load(_ count: Int) -> (records: [ShareRecord], damaged: Int) {
        let (records, damaged) =
            change { (queue) throws(PositionQueueError) in try queue.first(count, now: .now()) } ?? ([], 0)
        if damaged > 0 { logger.warning("\(name): \(damaged) damaged positions of the queue are left out.") }
        return (records, damaged)
    }

    /// Removes positions by their numbers. Returns true if their bytes are still there: then call ``erase()`` after
    /// ``erasureInterval``.
    func remove(_ sequences: [Int64]) -> Bool {
        change { (queue) throws(PositionQueueError) in try queue.remove(sequences) }
        if let lastErasure, lastErasure + Self.erasureInterval > .now { return true }
        erase()
        return false
    }

    /// Erases the bytes of removed positions.
    func erase() {
        change { (queue) throws(PositionQueueError) in try queue.erase() }
        lastErasure = .now
    }

    /// Deletes the queue. If that fails, ``deleteAgain()`` tries it again.
    func delete() {
        queue = nil
        do throws(ShareDirectoryError) {
            try directory.removeQueue(of: name)
            isUndeleted = false
        } catch {
            isUndeleted = true
            log(error.description)
        }
    }

    /// Deletes a queue that could not be deleted.
    func deleteAgain() {
        if isUndeleted { delete() }
    }

    @discardableResult
    private func change<Value>(_ body: (PositionQueue) throws(PositionQueueError) -> Value) -> Value? {
        guard let queue else { return nil }
        do throws(PositionQueueError) {
            return try body(queue)
        } catch {
            handle(error)
            return nil
        }
    }

    /// A damaged queue is deleted, and the next position makes another one.
    private func handle(_ error: PositionQueueError) {
        guard error.isDamaged else { return log(error.description) }
        logger.warning("\(name): \(error) What it kept is lost.")
        delete()
    }

    /// Logs a problem, once an hour at most: on a disk that is nearly full some positions can be added.
    private func log(_ problem: String) {
        if let problemLogged, problemLogged + Self.logInterval > .now { return }
        problemLogged = .now
        logger.warning("\(name): \(problem)")
    }
}
