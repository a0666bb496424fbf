import LocationModel
import LocationPolicy
import NIOCore

/// The reduced locations of clients. All users of a client share one, because they share the receiver.
///
/// At most one location in a quarter of an hour is reduced. The time is on disk before its release, so that a restart
/// of the daemon yields no further one. The position is never written.
///
/// Confined to the event loop.
final class ReducedLocations {
    private struct Open {
        var reduction: AccuracyReduction
        /// The last released location.
        var newest: Publication?
        /// True while the release is being recorded on disk.
        var isReserving = false
        /// True if the last release could not be recorded, which was logged.
        var hasFailed = false
        /// True if the disk has just recorded a release that has not been made.
        var isReserved = false
    }

    private let disk: DecisionStore
    private var clients: [String: Open] = [:]
    /// The clients whose secret is being read.
    private var opening: Set<String> = []
    /// The times before which nothing is released, because of an earlier run of the daemon.
    private var blockedUntil: [String: ContinuousClock.Instant]
    private let queue: CoreQueue
    /// The current time.
    var now: () -> ContinuousClock.Instant = { .now }

    /// `releases` has the wall-clock time of each client's last release.
    init(disk: DecisionStore, releases: [String: Timestamp], queue: CoreQueue) {
        self.queue = queue
        self.disk = disk
        blockedUntil = Self.blocks(after: releases, at: .now, wall: disk.now())
    }

    /// The times before which nothing is released, given the wall-clock times of the last releases. One in the future,
    /// because the clock was set back, counts as one of now.
    static func blocks(
        after releases: [String: Timestamp], at now: ContinuousClock.Instant, wall: Timestamp
    ) -> [String: ContinuousClock.Instant] {
        releases.compactMapValues { released in
            let age = max(.zero, wall.duration(since: released))
            return age < AccuracyReduction.interval ? now + (AccuracyReduction.interval - age) : nil
        }
    }

    /// The reduced location that a client may have now.
    func newest(for client: String) -> Publication? {
        guard let open = clients[client], open.reduction.newest(at: now()) != nil else { return nil }
        return open.newest
    }

    /// True if a client has a reduced location at this moment, which an exit of the daemon would lose.
    func remembersAny(at instant: ContinuousClock.Instant) -> Bool {
        clients.values.contains { $0.reduction.newest(at: instant) != nil }
    }

    /// Loads a client's secret, unless it is loaded.
    func prepare(_ client: String) {
        guard clients[client] == nil, opening.insert(client).inserted else { return }
        queue.take(disk.secret(for: client)) { [weak self] result in
            guard let self else { return }
            opening.remove(client)
            switch result {
            case .success(let secret):
                clients[client] = Open(reduction: AccuracyReduction(secret: secret))
                queue.append(.deliverReduced(client: client))
            case .failure(let error): queue.append(.reportFailedReduction(client: client, error))
            }
        }
    }

    /// Releases a reduced location for a client if one is due: once the disk has recorded it, from the location that anybody may have
    /// reduced at that moment. See ``Publisher/releaseReduced(to:of:)``.
    func release(for client: String, from exact: Publication) {
        guard let open = clients[client], open.reduction.isDue(at: now()) else { return }
        if open.isReserved {
            endReservation(for: client)
            guard let location = clients[client]?.reduction.reduce(exact.location, at: now()) else { return }
            clients[client]?.newest = Publication(
                location, arrival: exact.arrival, number: exact.number,
                expiry: queue.eventLoop.now + TimeAmount(AccuracyReduction.interval), from: exact)
            return queue.append(.deliverReduced(client: client))
        }
        guard !open.isReserving, blockedUntil[client].map({ $0 <= now() }) ?? true else { return }
        blockedUntil[client] = nil
        clients[client]?.isReserving = true
        queue.take(disk.reserveReducedRelease(client: client, at: disk.now())) { [weak self] result in
            guard let self else { return }
            clients[client]?.isReserving = false
            switch result {
            case .success:
                clients[client]?.isReserved = true
                clients[client]?.hasFailed = false
                queue.append(.deliverReduced(client: client))
            case .failure(let error):
                // Each fix tries again.
                if clients[client]?.hasFailed == false { queue.append(.reportFailedReduction(client: client, error)) }
                clients[client]?.hasFailed = true
            }
        }
    }

    /// Gives up a release that the disk has recorded. The next one is recorded again: its time has to be that of the release.
    func endReservation(for client: String) { clients[client]?.isReserved = false }
}
