import LocationModel
import LocationPolicy
import LocationStore
import Logging
import NIOCore
import Pacing

/// Records accesses to locations: client, period, number and accuracy, but no coordinates.
///
/// Whatever a client is given is noted here, and nowhere else.
///
/// Confined to the event loop.
final class AccessLog {
    /// The time without a location after which a new access begins. An access also ends when the clock was set back
    /// further than this before its last location.
    private static let gap = Duration.seconds(60)
    /// The interval of writing to disk, and so the most that a crash loses.
    private static let flushInterval = TimeAmount.seconds(5)

    private struct Entry {
        var access: AccessSession
        let client: Client
        var isFlushed = false
    }

    private let logger: Logger
    private let disk: DecisionStore
    /// The number of days that history is kept; 0 for none.
    var historyDays: Int
    private let queue: CoreQueue
    /// The clients that are given locations at this moment, whether history is kept or not.
    let current: CurrentAccesses
    /// The accesses that have not ended.
    private var entries: [ClientKey: Entry] = [:]
    /// Accesses that have ended and whose final state has not been written.
    private var ended: [AccessSession] = []
    private var flushTimer: LoopTimer?
    private var discardTimer: LoopTimer?
    /// True if the last writing failed, which was logged.
    private var hasFailed = false

    init(logger: Logger, disk: DecisionStore, historyDays: Int, queue: CoreQueue) {
        self.queue = queue
        self.logger = logger
        self.disk = disk
        self.historyDays = historyDays
        current = CurrentAccesses(queue: queue, now: disk.now)
    }

    /// The time of the last location in a client's current access.
    func lastAccess(of key: ClientKey) -> Timestamp? { entries[key]?.access.end }

    /// Records that a client was given a location: once, even if several of its subscriptions get it.
    func note(_ client: Client, by connection: Connection, _ publication: Publication, accuracy: AccuracyAuthorization)
    {
        current.note(client, by: connection.frontEnd, accuracy: accuracy)
        guard historyDays > 0, client.notedPublications[accuracy, default: 0] < publication.number else { return }
        client.notedPublications[accuracy] = publication.number
        let (now, frontEnd) = (disk.now(), connection.frontEnd)
        if let access = entries[client.key]?.access, isOngoing(access, at: now) {
            entries[client.key]?.access.add(publication.location, accuracy: accuracy, at: now)
            entries[client.key]?.isFlushed = false
        } else {
            begin(
                AccessSession(
                    of: client.key, by: frontEnd.name, with: publication.location, accuracy: accuracy, at: now),
                of: client)
            logger.info(
                "\(client.summary) is given locations through \(frontEnd.name): \(accuracy.rawValue) accuracy.",
                metadata: client.metadata)
        }
        scheduleFlush()
    }

    /// Records that an event was reported to a client: a change of a condition, or a visit.
    func noteEvent(_ client: Client, by connection: Connection) {
        current.note(client, by: connection.frontEnd, accuracy: nil)
        guard historyDays > 0 else { return }
        let now = disk.now()
        if let access = entries[client.key]?.access, isOngoing(access, at: now) {
            entries[client.key]?.access.addEvent(at: now)
            entries[client.key]?.isFlushed = false
        } else {
            begin(AccessSession(of: client.key, by: connection.frontEnd.name, withEventAt: now), of: client)
            logger.info(
                "\(client.summary) is told of watched places through \(connection.frontEnd.name).",
                metadata: client.metadata)
        }
        scheduleFlush()
    }

    private func begin(_ access: AccessSession, of client: Client) {
        if let entry = entries[client.key], !entry.isFlushed { ended.append(entry.access) }
        entries[client.key] = Entry(access: access, client: client)
        client.hasAccess = true
        queue.append(.tellManagers(.accesses, userID: client.key.userID))
    }

    /// Writes unsaved accesses to disk.
    func flush() {
        var sessions = ended
        ended = []
        for (key, entry) in entries where !entry.isFlushed {
            sessions.append(entry.access)
            entries[key]?.isFlushed = true
        }
        guard !sessions.isEmpty else { return }
        disk.record(sessions, historyDays: historyDays).assumeIsolated().whenComplete {
            [weak self] result in
            guard let self else { return }
            // Locations continue without history. A current access is written again after its next location; one that
            // has ended is lost.
            if case .failure(let error) = result, !hasFailed {
                logger.error("The history could not be written, and is not until the disk takes it: \(error)")
            }
            hasFailed = if case .failure = result { true } else { false }
        }
    }

    /// Writes the rest and cancels timers.
    func shutdown() {
        current.shutdown()
        flushTimer?.cancel()
        discardTimer?.cancel()
        flush()
    }

    private func isOngoing(_ access: AccessSession, at now: Timestamp) -> Bool {
        (.zero - Self.gap...Self.gap).contains(now.duration(since: access.end))
    }

    private func scheduleFlush() {
        guard flushTimer == nil else { return }
        flushTimer = queue.makeTimer(in: Self.flushInterval) { [weak self] in
            guard let self else { return }
            flushTimer = nil
            flush()
            for userID in Set(entries.keys.map(\.userID)) { queue.append(.tellManagers(.accesses, userID: userID)) }
            scheduleDiscarding()
        }
    }

    private func scheduleDiscarding() {
        guard discardTimer == nil, !entries.isEmpty else { return }
        discardTimer = queue.makeTimer(in: TimeAmount(Self.gap)) { [weak self] in
            self?.discardTimer = nil
            self?.discardEnded()
            self?.scheduleDiscarding()
        }
    }

    /// Discards accesses that have ended and have been written.
    private func discardEnded() {
        let now = disk.now()
        for (key, entry) in entries where entry.isFlushed && !isOngoing(entry.access, at: now) {
            entries[key] = nil
            entry.client.hasAccess = false
            queue.append(.tellManagers(.accesses, userID: key.userID))
            queue.append(.discardIfUnused(entry.client))
        }
    }
}
