import LocationConditions
import LocationModel
import LocationPolicy
import LocationStore
import Logging
import NIOCore
import Pacing

/// Watches conditions and visits for clients, connected or not: a consumer of publications behind the gate, like each
/// subscription.
///
/// Before each location, the conditions of clients that may not have it are laid to rest in the ``ConditionRegister``, with their
/// states, and those of clients that may have it again are taken up. ``EventDelivery`` sends what has changed.
///
/// Confined to the event loop.
final class ConditionMonitor {
    /// The assumed accuracy of a location without one, in metres.
    private static let assumedAccuracy = 100.0
    /// The interval of looking for conditions that may have changed without a location.
    private static let lossInterval = TimeAmount.minutes(10)
    /// The longest interval between two locations for a client that has no access to this one, apart from a rule about a place.
    private static let waitingInterval = Duration.seconds(150)
    /// The points of all polygons of a client, so that 100,000 conditions have a bound in memory.
    static let pointsPerClient = 20_000

    private let disk: DecisionStore
    private let gate: Gate
    private let queue: CoreQueue
    private let register: ConditionRegister
    private let records: WatchedRecords
    private let delivery: EventDelivery
    /// The current time on the clock that continues in suspend.
    var now: () -> ContinuousClock.Instant = { .now }

    private(set) var clients: [ClientKey: WatchingClient] = [:]
    /// The number of conditions of all clients.
    var count: Int { register.count }
    /// The number of clients for which locations are needed.
    private var neededCount = 0 {
        didSet {
            guard (neededCount > 0) != (oldValue > 0) else { return }
            neededSince = neededCount > 0 ? now() : nil
            scheduleLoss()
        }
    }
    private var neededSince: ContinuousClock.Instant?
    private var lossTimer: LoopTimer?
    /// The time at which something else than borders needs a location, after the last one.
    private var nextLook: ContinuousClock.Instant?
    /// A lower bound of the distance in metres from the last location to the nearest border at which a client gains access.
    private var accessBorder = Double.infinity
    private var isMarked = false

    init(
        _ stored: DecisionStore.Watched, gate: Gate, disk: DecisionStore, accesses: AccessLog, share: LoopShare,
        logger: Logger, queue: CoreQueue
    ) {
        (self.gate, self.disk, self.queue) = (gate, disk, queue)
        register = ConditionRegister(start: .now)
        records = WatchedRecords(disk: disk, queue: queue, logger: logger)
        delivery = EventDelivery(
            register, records, gate: gate, accesses: accesses, share: share, queue: queue)
        adopt(stored)
    }

    /// True while locations are needed for conditions and visits.
    var isNeeded: Bool { neededCount > 0 }
    /// The users for whom they are needed.
    var users: some Sequence<UInt32> { clients.values.lazy.filter { $0.standing != .unwatched }.map(\.key.userID) }

    /// The number of conditions of a client.
    func conditionCount(of key: ClientKey) -> Int { clients[key]?.table.count ?? 0 }
    /// True if a client has visits watched.
    func watchesVisits(_ key: ClientKey) -> Bool { clients[key]?.visits != nil }

    /// Cancels timers.
    func shutdown() { lossTimer?.cancel() }
}

// MARK: Clients

extension ConditionMonitor {
    /// The conditions and visits of a client, created on first use.
    func watching(_ client: Client) -> WatchingClient {
        let watching = watching(client.key)
        if watching.client == nil { attach(client) }
        return watching
    }

    private func watching(_ key: ClientKey) -> WatchingClient {
        if let known = clients[key] { return known }
        let new = register.add(key)
        clients[key] = new
        return new
    }

    /// The clients with something watched that are not known in memory.
    var detached: [ClientKey] { clients.values.filter { $0.client == nil }.map(\.key) }

    /// Notes that a client is known again.
    func attach(_ client: Client) {
        guard let watching = clients[client.key], watching.client == nil else { return }
        watching.recipient = WatchingRecipient(client)
        client.isWatching = true
        review(client)
        delivery.deliver(to: watching)
    }

    /// Notes that a client is no longer declared. What it has watched stays on disk.
    func detach(_ client: Client) {
        guard let watching = clients[client.key] else { return }
        client.isWatching = false
        watching.recipient = nil
        register.exclude(watching)
        stand(watching, .unwatched)
        discardIfEmpty(watching)
    }

    private func discardIfEmpty(_ watching: WatchingClient) {
        guard watching.isEmpty, watching.streams.isEmpty else { return }
        register.exclude(watching)
        stand(watching, .unwatched)
        clients[watching.key] = nil
        register.remove(watching)
        guard let client = watching.client else { return }
        client.isWatching = false
        queue.append(.discardIfUnused(client))
    }

    /// Takes over what a database contains.
    func adopt(_ stored: DecisionStore.Watched) {
        for watching in clients.values { empty(watching) }
        for condition in stored.conditions {
            register.insert(condition.condition, condition.report, of: watching(condition.key))
        }
        for key in stored.visitWatchers { watching(key).visits = VisitMachine() }
        for visit in stored.visits {
            guard let watching = clients[visit.key], watching.visits != nil else { continue }
            if visit.visit.departureDate == nil { watching.visits = VisitMachine(continuing: visit.visit, at: now()) }
            if !visit.isTold { watching.visitLog.append(visit.visit, passed: 0) }
        }
        isMarked = stored.isMarked
        for watching in clients.values {
            if let client = watching.client { review(client) }
            discardIfEmpty(watching)
        }
        mark()
    }

    /// Marks in a file, for the start of the machine, whether there is anything to watch.
    private func mark() {
        let isNeeded = clients.values.contains { !$0.isEmpty }
        guard isNeeded != isMarked else { return }
        isMarked = isNeeded
        records.save { $0.mark(isNeeded) }
    }

    /// Removes everything that a client has watched from memory.
    private func empty(_ watching: WatchingClient) {
        while watching.table.count > 0 { register.remove(watching.table.count - 1, of: watching) }
        watching.visits = nil
        watching.visitLog.removeAll()
    }

    /// Forgets everything that a client has watched, because its decisions were reset. Calls `completion` when it is deleted on
    /// disk: a reset without decisions has not written there.
    func forget(_ key: ClientKey, completion: @escaping ((any Error)?) -> Void) {
        guard let watching = clients[key] else { return completion(nil) }
        empty(watching)
        settleRemoval(watching)
        records.save({ $0.deleteWatched(by: key) }, answer: completion)
    }
}

// MARK: Conditions

extension ConditionMonitor {
    /// Begins to watch a condition. Calls `completion` when it is on disk, with the error if it is not and has been removed
    /// again.
    func add(
        _ name: ConditionName, _ condition: GeographicCondition, assuming state: ConditionState, of client: Client,
        limits: (client: Int, all: Int), completion: @escaping ((any Error)?) -> Void
    ) throws(Refusal) {
        let watching = watching(client)
        let replaced = watching.table.index(name)
        if replaced == nil {
            do throws(Refusal) {
                guard watching.table.count < limits.client else {
                    throw .limitExceeded("ConditionsPerClient", limits.client)
                }
                guard count < limits.all else { throw .limitExceeded("Conditions", limits.all) }
            } catch {
                discardIfEmpty(watching)
                throw error
            }
        }
        let points = watching.table.pointCount - (replaced.map { register.shape($0, of: watching).pointCount } ?? 0)
        guard points + condition.pointCount <= Self.pointsPerClient else {
            discardIfEmpty(watching)
            throw .limitExceeded("PolygonPointsPerClient", Self.pointsPerClient)
        }
        if let replaced { register.remove(replaced, of: watching) }
        let report = ConditionReport(name, state, since: disk.now(), isTold: true)
        register.insert(condition, report, of: watching)
        mark()
        updateStanding(watching)
        queue.append(.wakeReceiver)
        records.save(
            { $0.save(StoredCondition(client.key, condition, report)) },
            answer: { [weak self] error in
                // Unless another one has taken its place.
                if error != nil, let index = watching.table.index(name),
                    watching.table.entries[index].date == report.date
                {
                    self?.register.remove(index, of: watching)
                    self?.settleRemoval(watching)
                }
                completion(error)
            })
    }

    /// Stops watching a condition. Calls `completion` when it is deleted on disk.
    func remove(_ name: ConditionName, of client: Client, completion: @escaping ((any Error)?) -> Void) {
        guard let watching = clients[client.key], let index = watching.table.index(name) else { return completion(nil) }
        register.remove(index, of: watching)
        settleRemoval(watching)
        records.save({ $0.deleteCondition(name, of: client.key) }, answer: completion)
    }

    private func settleRemoval(_ watching: WatchingClient) {
        updateStanding(watching)
        discardIfEmpty(watching)
        mark()
    }

    /// A condition with its last state; `nil` if there is none of this name.
    func condition(_ name: ConditionName, of key: ClientKey) -> (GeographicCondition, ConditionReport)? {
        guard let watching = clients[key], let index = watching.table.index(name) else { return nil }
        return (register.shape(index, of: watching), register.report(index, of: watching))
    }

    /// The last states of a monitor's conditions.
    func reports(of monitor: String, of key: ClientKey) -> [ConditionReport] {
        guard let watching = clients[key] else { return [] }
        return watching.table.indexes(of: monitor).map { register.report($0, of: watching) }
            .sorted { $0.name.identifier < $1.name.identifier }
    }
}

// MARK: Visits

extension ConditionMonitor {
    /// Begins to watch visits for a client; they are kept from the first time until ``stopVisits(of:completion:)``.
    func watchVisits(of client: Client, completion: @escaping ((any Error)?) -> Void) {
        let watching = watching(client)
        guard watching.visits == nil else { return completion(nil) }
        watching.visits = VisitMachine()
        mark()
        updateStanding(watching)
        queue.append(.wakeReceiver)
        records.save({ $0.setWatchesVisits(true, client.key) }, answer: completion)
    }

    /// Stops watching visits for a client, and forgets those that it has not been told of.
    func stopVisits(of client: Client, completion: @escaping ((any Error)?) -> Void) {
        guard let watching = clients[client.key], watching.visits != nil else { return completion(nil) }
        watching.visits = nil
        watching.visitLog.removeAll()
        settleRemoval(watching)
        records.save({ $0.setWatchesVisits(false, client.key) }, answer: completion)
    }
}

// MARK: Access

extension ConditionMonitor {
    /// Applies a change that may affect a client's access, at once.
    func review(_ client: Client) {
        guard let watching = clients[client.key] else { return }
        updateStanding(watching)
        if !watching.streams.isEmpty { delivery.deliver(to: watching) }
    }

    /// Applies a change of a client's access, or of its conditions and visits. The streams are not looked at: a client may have
    /// thousands of them and of conditions.
    private func updateStanding(_ watching: WatchingClient) {
        guard let evaluation = watching.recipient?.evaluation else { return }
        stand(watching, WatchingClient.Standing(evaluation))
        if watching.standing != .watched { register.exclude(watching) }
    }

    private func stand(_ watching: WatchingClient, _ standing: WatchingClient.Standing) {
        let standing = watching.isEmpty ? .unwatched : standing
        let before = watching.standing
        guard standing != before else { return }
        watching.standing = standing
        neededCount += (standing == .unwatched ? 0 : 1) - (before == .unwatched ? 0 : 1)
        queue.append(standing == .unwatched ? .updateNeed : .wakeReceiver)
    }

}

// MARK: Locations

extension ConditionMonitor {
    /// The input of the receiver's schedule after a location.
    struct Outlook {
        var borders = ConditionSet.NearestBorders()
        var isDeciding = false
        var hasEvents = false
        var nextLook: ContinuousClock.Instant?
    }

    /// A location as conditions use it.
    func fix(_ publication: Publication) -> ConditionFix {
        let location = publication.location
        // A recorded track and a fixed position without an accuracy are where the program's author wants them.
        let source = location.sourceInformation
        let isExact = source?.isSimulated == true || source?.kind?.isFixed == true
        return ConditionFix(
            coordinate: location.coordinate,
            accuracy: location.horizontalAccuracy ?? (isExact ? 0 : Self.assumedAccuracy), time: now())
    }

    /// Takes a location, for the clients that may have it. Returns true if anything has changed.
    func receive(_ publication: Publication, _ fix: ConditionFix) -> Bool {
        (nextLook, accessBorder) = (nil, .infinity)
        guard isNeeded else { return false }
        for watching in clients.values where watching.standing != .unwatched {
            // Without rules each change of access is reviewed, and no location changes it. Events pass the gate.
            guard let recipient = watching.recipient,
                !watching.isIncluded || watching.visits != nil || recipient.client.isEvaluatedEachTime
            else { continue }
            if gate.pass(.location(publication), to: recipient) != nil {
                register.include(watching)
                if watching.visits != nil { observeVisit(fix, publication, watching) }
                if let visits = watching.visits { look(at: visits.nextLook ?? fix.time) }
                if watching.isBlocked { delivery.deliver(to: watching) }
            } else {
                register.exclude(watching)
                wait(for: recipient, from: publication, at: fix.time, watching)
            }
        }
        let changes = register.observe(fix)
        for (watching, indexes) in changes {
            pace(watching, publication)
            note(indexes, watching, at: publication.location.timestamp)
        }
        return !changes.isEmpty
    }

    /// Schedules the next location for a client that may not have this one: where a rule about a place ends, or in a while.
    private func wait(
        for recipient: WatchingRecipient, from publication: Publication, at time: ContinuousClock.Instant,
        _ watching: WatchingClient
    ) {
        let evaluation = recipient.evaluation(at: publication.position)
        guard evaluation.view.isWithheld || evaluation.view.isReducedByPlace else {
            if evaluation.needsConfirmation, let stream = watching.streams.first {
                queue.append(.askToConfirm(recipient.client, stream.connection))
            }
            return look(at: time + Self.waitingInterval)
        }
        let client = recipient.client
        accessBorder = min(
            accessBorder,
            client.user.rules.distanceToBorder(from: publication.position, of: client.authorization.rules))
    }

    private func look(at time: ContinuousClock.Instant) { nextLook = nextLook.map { min($0, time) } ?? time }

    /// The input of the receiver's schedule after the last location.
    func outlook(hasEvents: Bool) -> Outlook {
        var outlook = Outlook(isDeciding: register.isDeciding, hasEvents: hasEvents, nextLook: nextLook)
        if isNeeded, let nearest = register.nearestBorders() { outlook.borders = nearest }
        // Late as an exit may be: what is watched is not decided before.
        outlook.borders.exit = min(outlook.borders.exit, accessBorder)
        return outlook
    }

    /// Counts an event as a delivery of the location, for rules with an interval.
    private func pace(_ watching: WatchingClient, _ publication: Publication) {
        guard let client = watching.client, client.authorization.mayBePaced else { return }
        _ = client.user.rules.delivered(publication.number, nil, to: client.key.client)
    }

    private func observeVisit(_ fix: ConditionFix, _ publication: Publication, _ watching: WatchingClient) {
        guard let visit = watching.visits?.observe(fix, timestamp: publication.location.timestamp) else { return }
        pace(watching, publication)
        watching.visitLog.append(visit, passed: watching.passedVisits)
        save(watching) { $0.save(StoredVisit(watching.key, visit, isTold: false)) }
    }

    /// Notes changes of a client's conditions, and delivers them once they are on disk.
    private func note(_ indexes: [Int], _ watching: WatchingClient, at date: Timestamp) {
        var reports: [ConditionReport] = []
        for index in indexes {
            watching.table.noteChange(of: index, at: date)
            reports.append(register.report(index, of: watching))
        }
        save(watching) { [reports] in $0.save(reports, of: watching.key) }
    }

    private func save(
        _ watching: WatchingClient, _ body: (DecisionStore) -> EventLoopFuture<Void>
    ) {
        watching.savingCount += 1
        records.save(body) { [delivery] in
            watching.savingCount -= 1
            delivery.deliver(to: watching)
        }
    }

    // MARK: Loss of the source

    private func scheduleLoss() {
        lossTimer?.cancel()
        lossTimer = nil
        guard isNeeded else { return }
        lossTimer = queue.makeTimer(in: Self.lossInterval) { [weak self] in
            self?.checkForLoss()
            self?.scheduleLoss()
        }
    }

    /// Makes unknown what may have changed since the last location, after half an hour without one.
    private func checkForLoss() {
        guard let neededSince, neededSince.duration(to: now()) >= ConditionSet.unknownAfter,
            register.hasLostSource(at: now())
        else { return }
        // An event would say that there is no location, and none that a rule about a place withholds it.
        for watching in clients.values where watching.client?.isLimitedByPlaces ?? false { register.exclude(watching) }
        for (watching, indexes) in register.loseSource(at: now()) { note(indexes, watching, at: disk.now()) }
    }
}

// MARK: Streams

extension ConditionMonitor {
    /// Opens a stream of a client. It is owed what no stream has been told, which ``resume(_:of:)`` sends.
    func open(
        _ subject: WatchStream.Subject, _ observer: any WatchObserver, on connection: Connection, of client: Client,
        limit: Int
    ) throws(Refusal) -> WatchStream {
        guard clients[client.key]?.streams.count ?? 0 < limit else {
            throw .limitExceeded("MonitorStreamsPerClient", limit)
        }
        let watching = watching(client)
        let start =
            switch subject {
            case .conditions: watching.table.lastChange
            case .visits: watching.visitLog.last
            }
        let stream = WatchStream(observer, subject, connection: connection, start: start)
        watching.add(stream)
        return stream
    }

    /// Closes a stream.
    func close(_ stream: WatchStream, of client: Client) {
        guard let watching = clients[client.key], stream.index != nil else { return }
        watching.remove(stream)
        delivery.saveTold(watching)
        discardIfEmpty(watching)
    }

    /// Sends waiting events to a stream that was opened, or whose peer reads again.
    func resume(_ stream: WatchStream, of client: Client) {
        if let watching = clients[client.key] { delivery.resume(stream, watching) }
    }
}
