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
/// All conditions are in one ``ConditionSet``. Before each location, those of clients that may not have it are taken out, with
/// their states, and those of clients that may have it again are put back. A change is on disk before a client is told of it,
/// and marked as told afterwards: a crash in between loses nothing, and repeats at most one telling.
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

    private let eventLoop: any EventLoop
    private let logger: Logger
    private let disk: DecisionStore
    private let accesses: AccessLog
    private let gate: Gate
    private let actions: CoreActions
    private let share: LoopShare
    /// The current time on the clock that continues in suspend.
    var now: () -> ContinuousClock.Instant = { .now }

    private var set: ConditionSet
    /// The condition of each place in the set: the number of its client, and its index there.
    private var owners: ContiguousArray<(client: Int32, index: Int32)> = []
    private(set) var clients: [ClientKey: WatchingClient] = [:]
    private var numbered: ContiguousArray<WatchingClient?> = []
    private var unused: [Int32] = []
    /// The number of conditions of all clients.
    private(set) var count = 0
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
    private var hasLoggedFailure = false
    private var isMarked = false

    init(
        _ stored: DecisionStore.Watched, gate: Gate, disk: DecisionStore, accesses: AccessLog, eventLoop: any EventLoop,
        share: LoopShare, logger: Logger, actions: CoreActions
    ) {
        self.share = share
        self.gate = gate
        self.disk = disk
        self.accesses = accesses
        self.eventLoop = eventLoop
        self.logger = logger
        self.actions = actions
        set = ConditionSet(start: .now)
        adopt(stored)
    }

    /// True while locations are needed for what is watched.
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
        let number = unused.popLast() ?? Int32(numbered.count)
        let new = WatchingClient(key: key, number: number)
        if number < numbered.count { numbered[Int(number)] = new } else { numbered.append(new) }
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
        tell(watching)
    }

    /// Notes that a client is no longer declared. What it has watched stays on disk.
    func detach(_ client: Client) {
        guard let watching = clients[client.key] else { return }
        client.isWatching = false
        watching.recipient = nil
        exclude(watching)
        stand(watching, .unwatched)
        discardIfEmpty(watching)
    }

    private func discardIfEmpty(_ watching: WatchingClient) {
        guard watching.isEmpty, watching.streams.isEmpty else { return }
        exclude(watching)
        stand(watching, .unwatched)
        clients[watching.key] = nil
        numbered[Int(watching.number)] = nil
        unused.append(watching.number)
        guard let client = watching.client else { return }
        client.isWatching = false
        actions.append(.discardIfUnused(client))
    }

    /// Takes over what a database contains.
    func adopt(_ stored: DecisionStore.Watched) {
        for watching in clients.values { empty(watching) }
        for condition in stored.conditions {
            insert(condition.condition, condition.report, of: watching(condition.key))
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

    /// Has a file tell at the start of the machine whether there is anything to watch.
    private func mark() {
        let isNeeded = clients.values.contains { !$0.isEmpty }
        guard isNeeded != isMarked else { return }
        isMarked = isNeeded
        disk.mark(isNeeded, on: eventLoop).assumeIsolated().whenFailure { [weak self] in self?.logFailure($0) }
    }

    /// Removes everything that a client has watched from memory.
    private func empty(_ watching: WatchingClient) {
        while watching.table.count > 0 { remove(watching.table.count - 1, of: watching) }
        watching.visits = nil
        watching.visitLog.removeAll()
    }

    /// Forgets everything that a client has watched, because its decisions were reset. Calls `completion` when it is deleted on
    /// disk: a reset without decisions has not written there.
    func forget(_ key: ClientKey, completion: @escaping ((any Error)?) -> Void) {
        guard let watching = clients[key] else { return completion(nil) }
        empty(watching)
        settleRemoval(watching)
        disk.deleteWatched(by: key, on: eventLoop).assumeIsolated().whenComplete { result in
            if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
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
        let points = watching.table.pointCount - (replaced.map { shape($0, of: watching).pointCount } ?? 0)
        guard points + condition.pointCount <= Self.pointsPerClient else {
            discardIfEmpty(watching)
            throw .limitExceeded("PolygonPointsPerClient", Self.pointsPerClient)
        }
        if let replaced { remove(replaced, of: watching) }
        let report = ConditionReport(name, state, since: disk.now(), isTold: true)
        insert(condition, report, of: watching)
        mark()
        updateStanding(watching)
        actions.append(.wakeReceiver)
        disk.save(StoredCondition(client.key, condition, report), on: eventLoop).assumeIsolated().whenComplete {
            [weak self] result in
            guard case .failure(let error) = result else { return completion(nil) }
            // Unless another one has taken its place.
            if let index = watching.table.index(name), watching.table.entries[index].date == report.date {
                self?.remove(index, of: watching)
                self?.settleRemoval(watching)
            }
            completion(error)
        }
    }

    /// Stops watching a condition. Calls `completion` when it is deleted on disk.
    func remove(_ name: ConditionName, of client: Client, completion: @escaping ((any Error)?) -> Void) {
        guard let watching = clients[client.key], let index = watching.table.index(name) else { return completion(nil) }
        remove(index, of: watching)
        settleRemoval(watching)
        disk.deleteCondition(name, of: client.key, on: eventLoop).assumeIsolated().whenComplete { result in
            if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
    }

    private func settleRemoval(_ watching: WatchingClient) {
        updateStanding(watching)
        discardIfEmpty(watching)
        mark()
    }

    /// A condition with its last state; `nil` if there is none of this name.
    func condition(_ name: ConditionName, of key: ClientKey) -> (GeographicCondition, ConditionReport)? {
        guard let watching = clients[key], let index = watching.table.index(name) else { return nil }
        return (shape(index, of: watching), report(index, of: watching))
    }

    /// The last states of a monitor's conditions.
    func reports(of monitor: String, of key: ClientKey) -> [ConditionReport] {
        guard let watching = clients[key] else { return [] }
        return watching.table.indexes(of: monitor).map { report($0, of: watching) }
            .sorted { $0.name.identifier < $1.name.identifier }
    }

    private func report(_ index: Int, of watching: WatchingClient) -> ConditionReport {
        let entry = watching.table.entries[index]
        return ConditionReport(
            watching.table.name(index), state(index, of: watching), since: entry.date, isTold: entry.isTold)
    }

    private func state(_ index: Int, of watching: WatchingClient) -> ConditionState {
        watching.table.resting?[index].state ?? set.state(watching.table.entries[index].id)
    }

    private func shape(_ index: Int, of watching: WatchingClient) -> GeographicCondition {
        guard let resting = watching.table.resting else {
            guard let condition = set.condition(watching.table.entries[index].id) else {
                preconditionFailure("The conditions of an included client are in the set.")
            }
            return condition
        }
        return resting[index].condition
    }

    private func insert(_ condition: GeographicCondition, _ report: ConditionReport, of watching: WatchingClient) {
        count += 1
        let index = watching.table.count
        let id: ConditionID
        if watching.isIncluded {
            id = set.add(condition, assuming: report.state)
            own(id, index, watching)
        } else {
            id = .none
            watching.table.resting?.append((condition, report.state))
        }
        watching.table.append(
            report.name, id, at: report.date, isTold: report.isTold, points: condition.pointCount)
    }

    private func remove(_ index: Int, of watching: WatchingClient) {
        count -= 1
        let points = shape(index, of: watching).pointCount
        let isIncluded = watching.isIncluded
        if isIncluded { set.remove(watching.table.entries[index].id) }
        watching.table.remove(at: index, points: points)
        if isIncluded, index < watching.table.count { own(watching.table.entries[index].id, index, watching) }
    }

    private func own(_ id: ConditionID, _ index: Int, _ watching: WatchingClient) {
        let owner = (client: watching.number, index: Int32(index))
        if Int(id.index) < owners.count {
            owners[Int(id.index)] = owner
        } else {
            // The set numbers them one after the other.
            owners.append(owner)
        }
    }

    /// Puts the conditions of a client into the set, with their last states.
    private func include(_ watching: WatchingClient) {
        guard let resting = watching.table.resting else { return }
        watching.table.resting = nil
        for (index, (condition, state)) in resting.enumerated() {
            let id = set.add(condition, assuming: state)
            watching.table.setID(id, of: index)
            own(id, index, watching)
        }
    }

    /// Takes the conditions of a client out of the set.
    private func exclude(_ watching: WatchingClient) {
        guard watching.isIncluded else { return }
        var resting: ContiguousArray<(condition: GeographicCondition, state: ConditionState)> = []
        resting.reserveCapacity(watching.table.count)
        for index in watching.table.entries.indices {
            resting.append((shape(index, of: watching), state(index, of: watching)))
        }
        for entry in watching.table.entries { set.remove(entry.id) }
        watching.table.resting = resting
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
        actions.append(.wakeReceiver)
        setWatchesVisits(true, client.key, completion)
    }

    /// Stops watching visits for a client, and forgets those that it has not been told of.
    func stopVisits(of client: Client, completion: @escaping ((any Error)?) -> Void) {
        guard let watching = clients[client.key], watching.visits != nil else { return completion(nil) }
        watching.visits = nil
        watching.visitLog.removeAll()
        settleRemoval(watching)
        setWatchesVisits(false, client.key, completion)
    }

    private func setWatchesVisits(_ isWatching: Bool, _ key: ClientKey, _ completion: @escaping ((any Error)?) -> Void)
    {
        disk.setWatchesVisits(isWatching, key, on: eventLoop).assumeIsolated().whenComplete { result in
            if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
    }
}

// MARK: Access

extension ConditionMonitor {
    /// Applies a change that may affect a client's access, at once.
    func review(_ client: Client) {
        guard let watching = clients[client.key] else { return }
        updateStanding(watching)
        if !watching.streams.isEmpty { tell(watching) }
    }

    /// Applies a change of a client's access, or of what it has watched. The streams are not looked at: a client may have
    /// thousands of them and of conditions.
    private func updateStanding(_ watching: WatchingClient) {
        guard let evaluation = watching.recipient?.evaluation else { return }
        stand(watching, WatchingClient.Standing(evaluation))
        if watching.standing != .watched { exclude(watching) }
    }

    private func stand(_ watching: WatchingClient, _ standing: WatchingClient.Standing) {
        let standing = watching.isEmpty ? .unwatched : standing
        let before = watching.standing
        guard standing != before else { return }
        watching.standing = standing
        neededCount += (standing == .unwatched ? 0 : 1) - (before == .unwatched ? 0 : 1)
        actions.append(standing == .unwatched ? .updateNeed : .wakeReceiver)
    }

    private func tellAccess(to stream: WatchStream, of watching: WatchingClient) {
        guard let recipient = watching.recipient else { return }
        let evaluation = recipient.evaluation
        let process = stream.connection.process
        let diagnostic: LocationDiagnostic? =
            switch evaluation.access {
            // A rule about a place is not told, because that would tell when the user comes and goes.
            case .permitted(.full), .withheld: nil
            case .permitted(.reduced) where evaluation.isReducedByPlace: nil
            case .permitted(.reduced): .accuracyLimited
            case .suspended where !process.isUseKnown: nil
            case .suspended: .insufficientlyInUse
            case .undecided: .authorizationRequestInProgress
            case .refused:
                evaluation.authorization.status == .restricted ? .authorizationRestricted : .authorizationDenied
            }
        stream.tell(
            diagnostic, diagnostic == nil ? nil : Cause(evaluation, of: recipient.client.declaration, in: process))
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
        ConditionFix(
            coordinate: publication.location.coordinate,
            accuracy: publication.location.horizontalAccuracy ?? Self.assumedAccuracy, time: now())
    }

    /// Takes a location, for the clients that may have it. Returns true if anything has changed.
    func receive(_ publication: Publication, _ fix: ConditionFix) -> Bool {
        (nextLook, accessBorder) = (nil, .infinity)
        guard isNeeded else { return false }
        for watching in clients.values where watching.standing != .unwatched {
            // Without rules each change of access is reviewed, and no location changes it. What is told passes the gate.
            guard let recipient = watching.recipient,
                !watching.isIncluded || watching.visits != nil || recipient.client.isRuled
            else { continue }
            if gate.pass(.location(publication), to: recipient) != nil {
                include(watching)
                if watching.visits != nil { observeVisit(fix, publication, watching) }
                if let visits = watching.visits { look(at: visits.nextLook ?? fix.time) }
                if watching.isBlocked { tell(watching) }
            } else {
                exclude(watching)
                wait(for: recipient, from: publication, at: fix.time, watching)
            }
        }
        var changed: [Int32: [Int]] = [:]
        for event in set.observe(fix) {
            let owner = owners[Int(event.id.index)]
            changed[owner.client, default: []].append(Int(owner.index))
        }
        for (number, indexes) in changed {
            guard let watching = numbered[Int(number)] else { continue }
            pace(watching, publication)
            note(indexes, watching, at: publication.location.timestamp)
        }
        return !changed.isEmpty
    }

    /// Schedules the next location for a client that may not have this one: where a rule about a place ends, or in a while.
    private func wait(
        for recipient: WatchingRecipient, from publication: Publication, at time: ContinuousClock.Instant,
        _ watching: WatchingClient
    ) {
        let evaluation = recipient.evaluation(at: publication.position)
        guard evaluation.access == .withheld || evaluation.isReducedByPlace else {
            if evaluation.needsConfirmation { askToConfirm(watching) }
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
        var outlook = Outlook(isDeciding: set.isDeciding, hasEvents: hasEvents, nextLook: nextLook)
        if isNeeded, set.count > 0, let nearest = set.nearestBorders() { outlook.borders = nearest }
        // Late as an exit may be: what is watched is not decided before.
        outlook.borders.exit = min(outlook.borders.exit, accessBorder)
        return outlook
    }

    /// Counts an event as a delivery of the location, for rules with an interval.
    private func pace(_ watching: WatchingClient, _ publication: Publication) {
        guard let client = watching.client, client.isRuled else { return }
        _ = client.user.rules.delivered(publication.number, nil, to: client.key.client)
    }

    private func askToConfirm(_ watching: WatchingClient) {
        guard let stream = watching.streams.first else { return }
        actions.append(.askToConfirmWatching(stream))
    }

    private func observeVisit(_ fix: ConditionFix, _ publication: Publication, _ watching: WatchingClient) {
        guard let visit = watching.visits?.observe(fix, timestamp: publication.location.timestamp) else { return }
        pace(watching, publication)
        watching.visitLog.append(visit, passed: watching.passedVisits)
        save(watching) { $0.save(StoredVisit(watching.key, visit, isTold: false), on: $1) }
    }

    /// Notes changes of a client's conditions, and tells of them once they are on disk.
    private func note(_ indexes: [Int], _ watching: WatchingClient, at date: Timestamp) {
        var reports: [ConditionReport] = []
        for index in indexes {
            watching.table.noteChange(of: index, at: date)
            reports.append(report(index, of: watching))
        }
        save(watching) { [reports] in $0.save(reports, of: watching.key, on: $1) }
    }

    private func save(
        _ watching: WatchingClient, _ body: (DecisionStore, any EventLoop) -> EventLoopFuture<Void>
    ) {
        watching.savingCount += 1
        body(disk, eventLoop).assumeIsolated().whenComplete { [weak self] result in
            watching.savingCount -= 1
            if case .failure(let error) = result { self?.logFailure(error) }
            self?.tell(watching)
        }
    }

    private func logFailure(_ error: any Error) {
        // Clients are told in any case; what is lost is what a restart would tell.
        if !hasLoggedFailure { logger.error("A change of what is watched could not be saved: \(error)") }
        hasLoggedFailure = true
    }

    // MARK: Loss of the source

    private func scheduleLoss() {
        lossTimer?.cancel()
        lossTimer = nil
        guard isNeeded else { return }
        lossTimer = eventLoop.makeTimer(in: Self.lossInterval) { [weak self] in
            self?.actions.deferring {
                self?.checkForLoss()
                self?.scheduleLoss()
            }
        }
    }

    /// Makes unknown what may have changed since the last location, after half an hour without one.
    private func checkForLoss() {
        guard let neededSince, neededSince.duration(to: now()) >= ConditionSet.unknownAfter,
            set.hasLostSource(at: now())
        else { return }
        // An event would say that there is no location, and none that a rule about a place withholds it.
        for watching in clients.values where watching.client?.isLimitedByPlaces ?? false { exclude(watching) }
        var changed: [Int32: [Int]] = [:]
        for event in set.loseSource(at: now()) {
            let owner = owners[Int(event.id.index)]
            changed[owner.client, default: []].append(Int(owner.index))
        }
        for (number, indexes) in changed {
            if let watching = numbered[Int(number)] { note(indexes, watching, at: disk.now()) }
        }
    }
}

// MARK: Telling

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
        discardIfEmpty(watching)
    }

    /// Sends what is owed to a stream that was opened, or whose peer reads again.
    func resume(_ stream: WatchStream, of client: Client) {
        if let watching = clients[client.key] { tell(stream, watching) }
    }

    /// Tells a stream what it is owed, a message at a time, in the share of the loop that its user has.
    private func tell(_ stream: WatchStream, _ watching: WatchingClient) {
        guard !stream.isCatchingUp else { return }
        stream.isCatchingUp = true
        share.repeating(for: watching.key.userID) { [weak self] in
            if let self, tellNext(stream, watching) { return true }
            stream.isCatchingUp = false
            return false
        }
    }

    /// Tells all streams of a client its access and what they are owed, likewise. Starts its program if it has no stream.
    private func tell(_ watching: WatchingClient) {
        watching.isBlocked = false
        guard !watching.streams.isEmpty else {
            guard watching.hasUntold, let client = watching.client else { return }
            guard mayTell(watching) else { return watching.isBlocked = true }
            return actions.append(.startProgram(client))
        }
        watching.round.isWantedAgain = true
        guard !watching.round.isRunning else { return }
        watching.round.isRunning = true
        share.repeating(for: watching.key.userID) { [weak self] in
            if let self, takeStep(of: watching) { return true }
            watching.round.isRunning = false
            return false
        }
    }

    /// Takes a step of the round over a client's streams. Returns false at its end.
    private func takeStep(of watching: WatchingClient) -> Bool {
        if watching.round.left == 0 {
            guard watching.round.isWantedAgain else { return false }
            (watching.round.left, watching.round.isWantedAgain) = (watching.streams.count, false)
        }
        guard watching.round.left > 0 else { return false }
        let stream = watching.streams[watching.round.left - 1]
        // If it was closed meanwhile, another one may have its index.
        if !tellNext(stream, watching), stream.index != nil { watching.round.left -= 1 }
        return true
    }

    /// True if a client may be told of events now: they are on disk, and it has access at this moment, where the user is now.
    private func mayTell(_ watching: WatchingClient) -> Bool {
        watching.savingCount == 0 && watching.recipient.map(gate.mayBeTold) ?? false
    }

    /// Tells a stream the client's access, and one thing that it is owed. Returns false if it is owed nothing more, does not
    /// read, or may not be told now.
    private func tellNext(_ stream: WatchStream, _ watching: WatchingClient) -> Bool {
        guard stream.index != nil else { return false }
        tellAccess(to: stream, of: watching)
        let isPermitted = mayTell(watching)
        if !isPermitted { watching.isBlocked = true }
        if isPermitted, stream.observer.isReady {
            switch stream.subject {
            case .conditions(let monitor): if tellNextChange(stream, of: monitor, watching) { return true }
            case .visits: if tellNextVisit(stream, watching) { return true }
            }
        }
        saveTold(watching)
        return false
    }

    private func tellNextChange(_ stream: WatchStream, of monitor: String, _ watching: WatchingClient) -> Bool {
        guard let (number, index) = watching.table.change(of: monitor, after: stream.passed) else { return false }
        stream.passed = number
        let isTold = watching.table.entries[index].isTold
        guard number > stream.start || !isTold else { return true }
        if !isTold {
            watching.table.noteTold(index)
            watching.told.append(report(index, of: watching))
        }
        noteAccess(watching, stream)
        stream.observer.tell(report(index, of: watching))
        return true
    }

    private func tellNextVisit(_ stream: WatchStream, _ watching: WatchingClient) -> Bool {
        guard let (number, visit, isTold) = watching.visitLog.visit(after: stream.passed) else { return false }
        stream.passed = number
        guard number > stream.start || !isTold else { return true }
        if !isTold {
            watching.visitLog.noteTold(number)
            disk.save(StoredVisit(watching.key, visit, isTold: true), on: eventLoop).assumeIsolated().whenFailure {
                [weak self] in self?.logFailure($0)
            }
        }
        noteAccess(watching, stream)
        stream.observer.tell(visit)
        return true
    }

    /// Saves that the program was told: once for all that a stream was told.
    private func saveTold(_ watching: WatchingClient) {
        guard !watching.told.isEmpty else { return }
        disk.save(watching.told, of: watching.key, on: eventLoop).assumeIsolated().whenFailure { [weak self] in
            self?.logFailure($0)
        }
        watching.told = []
    }

    private func noteAccess(_ watching: WatchingClient, _ stream: WatchStream) {
        if let client = watching.client { accesses.noteEvent(client, by: stream.connection) }
    }
}
