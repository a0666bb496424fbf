import LocationModel
import LocationPolicy
import NIOCore

/// Rough locations, by client: one for all its users, since it is always the same receiver.
///
/// At most one in a quarter of an hour is looked at. When that was is on disk before the location goes out, so that a daemon
/// that is killed and started anew gives no further one. Where is never written down.
///
/// Confined to the event loop.
final class RoughLocations {
    private struct Open {
        var reduction: AccuracyReduction
        /// What was released last.
        var newest: Publication?
        /// Whether the disk is being told that a location is about to be released.
        var isReserving = false
    }

    private let disk: DecisionKeeper
    private let eventLoop: any EventLoop
    private var clients: [String: Open] = [:]
    /// The clients whose secret is being read.
    private var opening: Set<String> = []
    /// Before these moments nothing is released, by what an earlier run of the daemon has released.
    private var blockedUntil: [String: ContinuousClock.Instant]
    /// Called when a client may have a rough location that it did not have before.
    var onAvailable: (String) -> Void = { _ in }
    /// Called when a client gets none, because the disk failed.
    var onFailure: (String, any Error) -> Void = { _, _ in }

    /// `releases` says when a rough location of a client was last released, by the clock on the wall.
    init(disk: DecisionKeeper, eventLoop: any EventLoop, releases: [String: Timestamp]) {
        self.disk = disk
        self.eventLoop = eventLoop
        let (now, wall) = (ContinuousClock.now, disk.now())
        blockedUntil = releases.compactMapValues { released in
            // A release in the future, because the clock was set back, counts as one of this moment.
            let age = max(.zero, wall.duration(since: released))
            return age < AccuracyReduction.interval ? now + (AccuracyReduction.interval - age) : nil
        }
    }

    /// The rough location that a client may have now.
    func newest(for client: String) -> Publication? {
        guard let open = clients[client], open.reduction.newest(at: .now) != nil else { return nil }
        return open.newest
    }

    /// Whether a rough location has to be remembered at this moment.
    func remembersAny(at instant: ContinuousClock.Instant) -> Bool {
        clients.values.contains { $0.reduction.newest(at: instant) != nil }
    }

    /// Reads what is needed for a client's rough locations, unless it is there.
    func prepare(_ client: String) {
        guard clients[client] == nil, opening.insert(client).inserted else { return }
        disk.secret(for: client, on: eventLoop).assumeIsolated().whenComplete { [weak self] result in
            guard let self else { return }
            opening.remove(client)
            switch result {
            case .success(let secret):
                clients[client] = Open(reduction: AccuracyReduction(secret: secret))
                onAvailable(client)
            case .failure(let error): onFailure(client, error)
            }
        }
    }

    /// Releases a rough location for a client, if one is due: as soon as the disk knows of it, from the newest location at
    /// that moment.
    func release(for client: String, from newest: @escaping () -> Publication?) {
        guard let open = clients[client], !open.isReserving, open.reduction.isDue(at: .now),
            blockedUntil[client].map({ $0 <= .now }) ?? true, newest() != nil
        else { return }
        blockedUntil[client] = nil
        clients[client]?.isReserving = true
        disk.reserveRoughRelease(client: client, at: disk.now(), on: eventLoop).assumeIsolated().whenComplete {
            [weak self] result in
            guard let self else { return }
            clients[client]?.isReserving = false
            switch result {
            case .success:
                guard let exact = newest(),
                    let location = clients[client]?.reduction.reduce(exact.location, at: .now)
                else { return }
                clients[client]?.newest = Publication(location, arrival: exact.arrival, number: exact.number)
                onAvailable(client)
            case .failure(let error): onFailure(client, error)
            }
        }
    }
}
