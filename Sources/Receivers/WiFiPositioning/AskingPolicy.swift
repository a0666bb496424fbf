import Pacing

/// Decides after each scan whether the server is asked, and which known position applies.
///
/// A state machine: the caller performs the actions. All times are since the machine's start, sleep included. Its known places
/// is in memory only: on disk it would be a diary of places.
package struct AskingPolicy: Sendable {
    /// An action for the caller after an event.
    package enum Action: Hashable, Sendable {
        /// Report this position, of the time of the scan.
        case report(NetworkPosition)
        /// Ask the server about the access points of the scan.
        case ask
    }

    /// The end of a request.
    package enum Outcome: Sendable {
        case position(NetworkPosition)
        /// The server does not know the access points.
        case notFound
        /// `hasReached` is true if the server may have received the request, and with it the access points.
        case failed(hasReached: Bool, retryAfter: Duration?)
    }

    /// The shortest time between two requests.
    package static let shortestInterval = Duration.seconds(30)
    /// The most requests in an hour.
    package static let requestsPerHour = 60
    /// The shortest time between two requests for reduced accuracy alone.
    package static let coarseInterval = Duration.seconds(3600)
    /// The time after which a server is asked again about nearly the same access points.
    package static let renewalInterval = Duration.seconds(600)
    /// The most positions that are kept, and how long.
    package static let knownCount = 64
    package static let knownTime = Duration.seconds(86_400)

    private static let hour = Duration.seconds(3600)
    /// The interval from half of an hour's requests on, which makes the other half last for the rest of the hour.
    private static let sparingInterval = Duration.seconds(90)
    private static let sparingCount = 30

    /// A set of access points that the server was asked about.
    private struct Known {
        let addresses: Set<HardwareAddress>
        /// `nil` if the server did not know it.
        let position: NetworkPosition?
        let time: Duration
    }

    /// The positions known, the newest last.
    private var known: [Known] = []
    /// The times of the requests of the last hour, failed ones included.
    private var requests: [Duration] = []
    /// The time of the last request that the server may have received.
    private var lastReceived: Duration?
    /// The access points in the open request to the server; `nil` without one.
    private var asking: Set<HardwareAddress>?
    private var backOff = BackOff(from: .seconds(30), to: .seconds(1800))
    private var pausedUntil: Duration?

    package init() {}

    /// True while a request is open.
    package var isAsking: Bool { asking != nil }

    /// Handles a scan.
    ///
    /// - Parameters:
    ///   - addresses: those that may be asked about.
    ///   - isCoarse: true if a location of a few kilometres suffices.
    ///   - isOnline: false if a request would not get to the server.
    package mutating func scanned(
        _ addresses: Set<HardwareAddress>, isCoarse: Bool, isOnline: Bool = true, at now: Duration
    ) -> [Action] {
        guard addresses.count >= AccessPointSelection.minimumCount else { return [] }
        known.removeAll { now - $0.time >= Self.knownTime }
        let (nearest, share) = nearest(to: addresses)
        var actions: [Action] = []
        if let position = nearest?.position {
            if share >= 0.5 {
                actions.append(.report(position))
            } else if isCoarse, share >= 0.1 {
                actions.append(.report(position.widened))
            }
        }
        let isWanted =
            if isCoarse { share < 0.1 } else {
                share < 0.5 || share < 0.9 && nearest.map { now - $0.time >= Self.renewalInterval } != false
            }
        if isWanted, isOnline, !isAsking, mayAsk(isCoarse: isCoarse, at: now) {
            asking = addresses
            requests.append(now)
            actions.append(.ask)
        }
        return actions
    }

    /// Handles the end of the request.
    package mutating func ended(_ outcome: Outcome, at now: Duration) -> [Action] {
        guard let addresses = asking else { return [] }
        asking = nil
        switch outcome {
        case .position(let position):
            learn(Known(addresses: addresses, position: position, time: now))
            return [.report(position)]
        case .notFound:
            learn(Known(addresses: addresses, position: nil, time: now))
            return []
        case .failed(let hasReached, let retryAfter):
            if hasReached { lastReceived = now }
            pausedUntil = now + max(backOff.next(), min(retryAfter ?? .zero, Self.knownTime))
            return []
        }
    }

    /// Gives the open request up, of which the server may have received any part.
    package mutating func cancelled(at now: Duration) {
        if asking != nil { lastReceived = now }
        asking = nil
    }

    /// Forgets all positions and access points. The limits stay.
    package mutating func forget(at now: Duration) {
        cancelled(at: now)
        known = []
    }

    private mutating func learn(_ new: Known) {
        lastReceived = new.time
        pausedUntil = nil
        backOff.reset()
        known.removeAll { Self.share($0.addresses, new.addresses) >= 0.5 }
        known.append(new)
        if known.count > Self.knownCount { known.removeFirst(known.count - Self.knownCount) }
    }

    private mutating func mayAsk(isCoarse: Bool, at now: Duration) -> Bool {
        requests.removeAll { now - $0 >= Self.hour }
        if let pausedUntil, now < pausedUntil { return false }
        if isCoarse, let lastReceived, now - lastReceived < Self.coarseInterval { return false }
        guard let last = requests.last else { return true }
        let interval = requests.count < Self.sparingCount ? Self.shortestInterval : Self.sparingInterval
        return now - last >= interval && requests.count < Self.requestsPerHour
    }

    /// Returns the most similar known set of access points, and the share of access points that is the same.
    private func nearest(to addresses: Set<HardwareAddress>) -> (Known?, share: Double) {
        var best: (known: Known?, share: Double) = (nil, 0)
        // The newest of several.
        for known in known {
            let share = Self.share(known.addresses, addresses)
            if share > 0, share >= best.share { best = (known, share) }
        }
        return (best.known, best.share)
    }

    /// The share of the larger set that is in both.
    private static func share(_ one: Set<HardwareAddress>, _ other: Set<HardwareAddress>) -> Double {
        Double(one.intersection(other).count) / Double(max(one.count, other.count, 1))
    }
}
