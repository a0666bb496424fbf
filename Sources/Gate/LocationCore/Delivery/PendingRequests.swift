import LocationModel
import LocationPolicy
import Pacing

/// The `GetLocation` requests that wait for a location.
///
/// Confined to the event loop.
final class PendingRequests {
    private let disclosures: Disclosures
    private let queue: CoreQueue
    private var requests: [ObjectIdentifier: LocationRequest] = [:]
    /// The number of requests that were answered with a position.
    private(set) var answered = 0

    init(disclosures: Disclosures, queue: CoreQueue) { (self.disclosures, self.queue) = (disclosures, queue) }

    var isEmpty: Bool { requests.isEmpty }
    var count: Int { requests.count }
    /// The users of the programs that wait.
    var users: some Sequence<UInt32> { requests.values.lazy.map(\.connection.user.id) }

    /// Answers a request at once, or makes it wait for a location.
    func add(_ request: LocationRequest) {
        answerIfKnown(request)
        guard !request.isEnded else { return }
        requests[request.id] = request
        request.connection.requests[request.id] = request
        // The time starts now: the user's time for a decision does not count.
        request.timer = queue.makeTimer(in: request.timeout) { [queue, weak request] in
            if let request { queue.append(.giveUp(request)) }
        }
        queue.append(.updateNeed)
    }

    /// Removes a request that was answered or whose peer has closed.
    func remove(_ request: LocationRequest) {
        guard requests.removeValue(forKey: request.id) != nil else { return }
        request.connection.requests[request.id] = nil
        request.timer?.cancel()
        queue.append(.updateNeed)
    }

    /// Offers a new location to all. Returns the clients to which a reduced one is owed.
    func receive(_ publication: Publication) -> Set<String> {
        var owedReduced: Set<String> = []
        for request in requests.values {
            offer(publication, to: request)
            if request.view.release == .reduced { owedReduced.insert(request.client.key.client) }
        }
        return owedReduced
    }

    /// Answers a request with the current state, if that is accurate enough and released.
    func answerIfKnown(_ request: LocationRequest) {
        if let newest = disclosures.gate.newestLocation() { offer(newest, to: request) }
        guard !request.isEnded, let disclosure = disclosures.newest(for: request) else {
            if !request.isEnded, let exact = disclosures.reducible(for: request) {
                disclosures.reduced.release(for: request.client.key.client, from: exact)
            }
            return
        }
        switch disclosure.content {
        // No reduced location has the requested accuracy, and no better one will come.
        case .reduced: answer(request, disclosure)
        // Not the newest, which was offered, but the last one that a rule with an interval allows.
        case .location(let publication) where request.isAccurateEnough(publication.location):
            answer(request, disclosure)
        case .location, .frame, .heading: break
        }
    }

    /// Answers at the end of the time with the most accurate location that is still current and released, or else with a reason.
    func giveUp(_ request: LocationRequest, reason: () -> String) {
        guard requests[request.id] != nil else { return }
        if let best = disclosures.mostAccurate(for: request) { return answer(request, best) }
        request.end(.locationUnavailable(reason()))
        remove(request)
    }

    private func offer(_ publication: Publication, to request: LocationRequest) {
        guard request.isAccurateEnough(publication.location) else { return }
        if let disclosure = disclosures.gate.pass(.location(publication), to: request) { answer(request, disclosure) }
    }

    private func answer(_ request: LocationRequest, _ disclosure: Disclosure) {
        answered += 1
        disclosures.note(disclosure, to: request.client, by: request.connection)
        request.answer(disclosure)
        remove(request)
    }
}
