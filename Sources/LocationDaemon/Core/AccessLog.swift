import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationStore
import Logging
import NIOCore

/// Who had a user's location, from when to when, how many and how exact. Never where.
///
/// Confined to the event loop.
final class AccessLog {
    /// A client that has had nothing for so long begins a new access. So does one whose last location is from so far ahead:
    /// the clock was set back, and what follows did not happen then.
    private static let gap = Duration.seconds(60)
    /// How often accesses go to the disk. After a crash no more than this is missing.
    private static let flushInterval = TimeAmount.seconds(5)

    private struct Entry {
        var access: AccessSession
        let client: Client
        var isFlushed = false
    }

    private let eventLoop: any EventLoop
    private let logger: Logger
    private let disk: DecisionKeeper
    /// How many days are kept; 0 for none.
    var historyDays: Int
    /// Called when nothing goes on any more for a client.
    var onEnd: (Client) -> Void = { _ in }
    /// The accesses that go on.
    private var entries: [ClientKey: Entry] = [:]
    /// Accesses that have ended and are not on disk as they ended.
    private var ended: [AccessSession] = []
    private var flushTimer: Scheduled<Void>?
    private var forgetTimer: Scheduled<Void>?

    init(eventLoop: any EventLoop, logger: Logger, disk: DecisionKeeper, historyDays: Int) {
        self.eventLoop = eventLoop
        self.logger = logger
        self.disk = disk
        self.historyDays = historyDays
    }

    /// When the access of a client that goes on was last used.
    func lastAccess(of key: ClientKey) -> Timestamp? { entries[key]?.access.end }

    /// Notes that a client was given a location: once, to however many of its subscriptions it goes.
    func note(_ client: Client, by door: Door, _ publication: Publication, accuracy: AccuracyAuthorization) {
        guard client.notedPublication != publication.number, historyDays > 0 else { return }
        client.notedPublication = publication.number
        let now = disk.now()
        if let access = entries[client.key]?.access, goesOn(access, at: now) {
            entries[client.key]?.access.add(publication.location, accuracy: accuracy, at: now)
            entries[client.key]?.isFlushed = false
        } else {
            if let entry = entries[client.key], !entry.isFlushed { ended.append(entry.access) }
            entries[client.key] = Entry(
                access: AccessSession(
                    of: client.key, by: door.name, with: publication.location, accuracy: accuracy, at: now),
                client: client)
            client.hasAccess = true
            logger.info(
                "\(client.summary) is given locations through \(door.name): \(accuracy.rawValue) accuracy.",
                metadata: client.metadata)
        }
        scheduleFlush()
    }

    /// Writes what the disk does not know yet.
    func flush() {
        var sessions = ended
        ended = []
        for (key, entry) in entries where !entry.isFlushed {
            sessions.append(entry.access)
            entries[key]?.isFlushed = true
        }
        guard !sessions.isEmpty else { return }
        disk.record(sessions, historyDays: historyDays, on: eventLoop).assumeIsolated().whenFailure {
            [weak self] error in
            // Locations go on: history is for the user to look at. What is still going on is tried again with the next.
            self?.logger.error("The history could not be written: \(error)")
        }
    }

    /// Writes what is left, and cancels what is scheduled.
    func shutdown() {
        flushTimer?.cancel()
        forgetTimer?.cancel()
        flush()
    }

    private func goesOn(_ access: AccessSession, at now: Timestamp) -> Bool {
        (.zero - Self.gap...Self.gap).contains(now.duration(since: access.end))
    }

    private func scheduleFlush() {
        guard flushTimer == nil else { return }
        flushTimer = eventLoop.assumeIsolated().scheduleTask(in: Self.flushInterval) { [weak self] in
            self?.flushTimer = nil
            self?.flush()
            self?.scheduleForgetting()
        }
    }

    private func scheduleForgetting() {
        guard forgetTimer == nil, !entries.isEmpty else { return }
        forgetTimer = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(Self.gap)) { [weak self] in
            self?.forgetTimer = nil
            self?.forgetEnded()
            self?.scheduleForgetting()
        }
    }

    /// Gives up what has ended and is on disk.
    private func forgetEnded() {
        let now = disk.now()
        for (key, entry) in entries where entry.isFlushed && !goesOn(entry.access, at: now) {
            entries[key] = nil
            entry.client.hasAccess = false
            onEnd(entry.client)
        }
    }
}
