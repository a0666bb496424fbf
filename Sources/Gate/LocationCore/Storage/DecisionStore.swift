import LocationConfiguration
package import LocationModel
import LocationPolicy
package import LocationStore
package import NIOCore
import Synchronization

/// Asynchronous access to the store from an event loop, through a ``StoreWorker`` that all copies share.
package struct DecisionStore: Sendable {
    /// The stored state at the start of the daemon.
    package struct StoredState: Sendable {
        var records: [ClientKey: AuthorizationRecord] = [:]
        /// The keys of records that come from the desktop's own dialog.
        var desktopAnswers: Set<ClientKey> = []
        /// The users whose location services are off; `nil` stands for everybody.
        var disabled: Set<UInt32?> = []
        /// The highest accuracy level that the desktop of each user allows.
        var desktopLevels: [UInt32: UInt32] = [:]
        /// The clients that light no indicator.
        var quietClients: Set<ClientKey> = []
        /// True if they are off for everybody because the decisions were lost to damage, until an administrator decides.
        var isOffAfterDamage = false
        /// The wall-clock time of each client's last release of a reduced location. Times in the future, because the
        /// clock was set back, count as now.
        var reducedReleases: [String: Timestamp] = [:]
        /// The rules and places by user; users without any are absent.
        var rules: [UInt32: StoredRules] = [:]
        /// The wall-clock time of the last location of each client that a rule with a long interval limits.
        var pacedReleases: [ClientKey: Timestamp] = [:]
        /// The conditions and visits that are watched for clients.
        var watched = Watched()
        /// The origins of the records.
        var origins: [ClientKey: DecisionOrigin] = [:]
        /// The clock of `lastUses`; `nil` before its first reading.
        var useClock: UseClock?
        /// The last uses of clients, as far as they are known.
        var lastUses: [ClientKey: Int64] = [:]
    }

    /// The stored conditions, watchers of visits, and visits of clients.
    package struct Watched: Sendable {
        var conditions: [StoredCondition] = []
        var visitWatchers: [ClientKey] = []
        var visits: [StoredVisit] = []
        /// True if a file marks it for the service manager.
        var isMarked = false
    }

    /// The wall-clock time, for the store.
    let now: @Sendable () -> Timestamp
    /// Yields an error when the store turns out to be damaged. Only opening it again repairs that.
    package var damages: AsyncStream<StoreError> { worker.damages }
    /// The directory of the store.
    package var directory: String { worker.directory }
    /// Performs all work.
    let worker: StoreWorker
    /// The event loop on which results are reported.
    package var eventLoop: any EventLoop
    private let shared: Shared

    private final class Shared: Sendable {
        /// The consequences of a file that was moved or overwritten, and opened again.
        let reopened = Mutex<(@Sendable (StoredState, StoreOpening) -> Void)?>(nil)
        let decisionsPerUser = Mutex(DaemonConfiguration.Limits().decisionsPerUser)
        let lastPruning = Mutex<Timestamp?>(nil)
    }

    /// Takes over a store.
    package init(
        _ store: sending LocationStore, eventLoop: any EventLoop, now: @escaping @Sendable () -> Timestamp
    ) {
        let shared = Shared()
        worker = StoreWorker(store, now: now) { store, opening throws(StoreError) in
            let kept = try StoredState(store, decisionsPerUser: shared.decisionsPerUser.withLock { $0 })
            return { shared.reopened.withLock { $0 }?(kept, opening) }
        }
        (self.shared, self.eventLoop, self.now) = (shared, eventLoop, now)
    }

    /// Sets what is called on the event loop when the file was moved or overwritten while it was open, with the content
    /// of the file that is there now. Nothing else is read or written before it returns.
    func onReopened(_ handler: @escaping @Sendable (StoredState, StoreOpening) -> Void) {
        shared.reopened.withLock { $0 = handler }
    }

    /// Finishes pending work and closes the store.
    package func shutdown() async throws { try await worker.shutdown() }

    /// Returns when pending work is done. Results may be reported later.
    func finish() async { await worker.finish() }

    /// Reads the stored decisions. Deletes history that ended more than `historyDays` ago, and the decisions about
    /// undeclared programs beyond the limit.
    package func read(historyDays: Int, decisionsPerUser: Int = DaemonConfiguration.Limits().decisionsPerUser)
        async throws
        -> StoredState
    {
        let oldest = oldestIfPruningIsDue(days: historyDays)
        shared.decisionsPerUser.withLock { $0 = decisionsPerUser }
        return try await worker.performFirst { store in
            if let oldest { try store.prune(before: oldest) }
            return try StoredState(store, decisionsPerUser: decisionsPerUser)
        }
    }

    /// Saves a decision. It is on disk when the future succeeds, which returns the clients of the user whose decisions
    /// gave way: the oldest of undeclared programs beyond `limit`.
    func save(
        _ record: AuthorizationRecord, for key: ClientKey, origin: DecisionOrigin,
        limit: Int = DaemonConfiguration.Limits().decisionsPerUser
    ) -> EventLoopFuture<[String]> {
        let isDeclared = UndeclaredProgram(identifier: key.client) == nil
        return change(.client(key), of: .user(key.userID), isDenial: record.grant == .denied) {
            store throws(StoreError) in
            try store.save(record, for: key, origin: origin)
            return isDeclared
                ? [] : try store.dropOldestUndeclared(of: key.userID, sparing: key.client, limit: limit)
        }
    }

    /// Saves that location services are on or off, for a user or for everybody.
    func setEnabled(_ isEnabled: Bool, _ user: UInt32?, origin: DecisionOrigin) -> EventLoopFuture<Void> {
        change(.services(user), of: user.map { .user($0) } ?? .system, isDenial: !isEnabled) {
            store throws(StoreError) in try store.setServiceEnabled(isEnabled, for: user, origin: origin)
        }
    }

    /// Saves the highest accuracy level that a user's desktop allows; `nil` for no limit.
    func setDesktopLevel(_ level: UInt32?, for user: UInt32) -> EventLoopFuture<Void> {
        change(.desktopLevel(user: user), of: .user(user), isDenial: level != nil) { store throws(StoreError) in
            try store.setDesktopLevel(level, for: user)
        }
    }

    /// Saves whether a client lights no indicator.
    func setQuiet(_ isQuiet: Bool, _ key: ClientKey, by decider: UInt32) -> EventLoopFuture<Void> {
        let time = now()
        return change(.quiet(key), of: .user(key.userID), isDenial: !isQuiet) { store throws(StoreError) in
            try store.setQuiet(isQuiet, key, by: decider, at: time)
        }
    }

    /// Saves changed rules and places of a user. Returns the secret of the user's zones, which is created with the first place.
    func save(
        _ changes: [RuleChange], of user: UInt32, by decider: UInt32, isDenial: Bool
    ) -> EventLoopFuture<AccuracyReduction.Secret?> {
        let time = now()
        return change(.rules(user: user), of: .user(user), isDenial: isDenial) { store throws(StoreError) in
            var secret: AccuracyReduction.Secret?
            for change in changes {
                switch change {
                case .rule(let number, let rule):
                    try store.setRule(
                        rule?.propertyList ?? "", number: number, of: user, by: decider, at: time)
                case .place(let place, let known):
                    try store.save(place, of: user)
                    secret = try store.zoneSecret(of: user, orElse: known)
                case .noPlace(let name): try store.removePlace(name, of: user)
                case .secret(let known):
                    try store.setZoneSecret(known, of: user)
                    secret = known
                }
            }
            return secret
        }
    }

    /// Records that a location is released to a client that a rule with a long interval limits.
    func savePacedRelease(to key: ClientKey) -> EventLoopFuture<Void> {
        let time = now()
        return change(.pacedRelease(key), of: .user(key.userID)) { store throws(StoreError) in
            try store.savePacedRelease(to: key, at: time)
        }
    }

    /// The secret of a client's grid, created on first use.
    func secret(for client: String) -> EventLoopFuture<AccuracyReduction.Secret> {
        change(.secret(client: client), of: .system) { store throws(StoreError) in
            try store.reductionSecret(for: client)
        }
    }

    /// Records that a reduced location is about to be released to a client, for all its users. It may be released when
    /// the future succeeds.
    func reserveReducedRelease(client: String, at time: Timestamp) -> EventLoopFuture<Void> {
        change(.reducedRelease(client: client), of: .system) { store throws(StoreError) in
            try store.reserveReducedRelease(client: client, at: time)
        }
    }

    /// Saves accesses, and deletes those that ended more than `historyDays` ago.
    func record(_ sessions: [AccessSession], historyDays: Int) -> EventLoopFuture<Void> {
        let oldest = oldestIfPruningIsDue(days: historyDays)
        return perform(for: .system) { store throws(StoreError) in
            try store.record(sessions)
            if let oldest { try store.prune(before: oldest) }
        }
    }

    /// Saves the clock of uses, and uses of these clients.
    func save(_ clock: UseClock, uses: [ClientKey: Int64]) -> EventLoopFuture<Void> {
        perform(for: .system) { store throws(StoreError) in try store.save(clock, uses: uses) }
    }

    /// Deletes the uses of these clients.
    func forgetUses(of keys: [ClientKey]) -> EventLoopFuture<Void> {
        perform(for: .system) { store throws(StoreError) in try store.forgetUses(of: keys) }
    }

    /// The time of each client's last access to a user's location.
    func lastAccess(of user: UInt32) -> EventLoopFuture<[String: Timestamp]> {
        perform(for: .user(user)) { store throws(StoreError) in try store.lastAccess(of: user) }
    }

    /// The accesses to a user's location, the newest first.
    func history(
        of user: UInt32, client: String?, since: Timestamp?, joining gap: Duration?, limit: Int
    ) -> EventLoopFuture<[AccessSession]> {
        perform(for: .user(user)) { store throws(StoreError) in
            try store.history(user: user, client: client, since: since, joining: gap, limit: limit)
        }
    }

    /// Saves a condition of a client.
    func save(_ condition: StoredCondition) -> EventLoopFuture<Void> {
        changeWatched(of: condition.key) { store throws(StoreError) in try store.save(condition) }
    }

    /// Saves new states of a client's conditions.
    func save(_ reports: [ConditionReport], of key: ClientKey) -> EventLoopFuture<Void> {
        changeWatched(of: key) { store throws(StoreError) in try store.save(reports, of: key) }
    }

    /// Deletes a condition of a client.
    func deleteCondition(_ name: ConditionName, of key: ClientKey) -> EventLoopFuture<Void> {
        changeWatched(of: key) { store throws(StoreError) in try store.deleteCondition(name, of: key) }
    }

    /// Deletes everything that a client has watched.
    func deleteWatched(by key: ClientKey) -> EventLoopFuture<Void> {
        changeWatched(of: key) { store throws(StoreError) in try store.deleteWatched(by: key) }
    }

    /// Saves a visit of a client.
    func save(_ visit: StoredVisit) -> EventLoopFuture<Void> {
        changeWatched(of: visit.key) { store throws(StoreError) in try store.save(visit) }
    }

    /// Begins or stops telling a client of visits.
    func setWatchesVisits(_ isWatching: Bool, _ key: ClientKey) -> EventLoopFuture<Void> {
        changeWatched(of: key) { store throws(StoreError) in try store.setWatchesVisits(isWatching, key) }
    }

    /// Tells the service manager, for the next start of the machine, whether anything is watched.
    func mark(_ isWatching: Bool) -> EventLoopFuture<Void> {
        change(.watchMark, of: .system) { store throws(StoreError) in try store.mark(isWatching) }
    }

    private func perform<Value: Sendable>(
        for owner: StoreWorker.Owner, _ body: @escaping @Sendable (LocationStore) throws(StoreError) -> Value
    ) -> EventLoopFuture<Value> {
        worker.perform(for: owner, .single, on: eventLoop, body)
    }

    private func change<Value: Sendable>(
        _ subject: StoreWorker.Subject, of owner: StoreWorker.Owner, isDenial: Bool = false,
        _ body: @escaping @Sendable (LocationStore) throws(StoreError) -> Value
    ) -> EventLoopFuture<Value> {
        worker.perform(for: owner, .change(subject, isDenial: isDenial), on: eventLoop, body)
    }

    private func changeWatched(
        of key: ClientKey, _ body: @escaping @Sendable (LocationStore) throws(StoreError) -> Void
    ) -> EventLoopFuture<Void> {
        change(.watched(key), of: .user(key.userID), body)
    }

    /// The time before which history is to be deleted; `nil` if that was asked less than an hour ago.
    private func oldestIfPruningIsDue(days: Int) -> Timestamp? {
        let now = now()
        return shared.lastPruning.withLock { last in
            if let last, now.duration(since: last) < .seconds(3600), now >= last { return nil }
            last = now
            return now.advanced(by: .seconds(-86_400 * Int64(days)))
        }
    }
}

extension DecisionStore.StoredState {
    /// The content of a store, from which decisions beyond the limit are deleted.
    init(_ store: LocationStore, decisionsPerUser: Int) throws(StoreError) {
        try store.dropOldestUndeclared(limit: decisionsPerUser)
        let disabled = try store.disabledServices()
        let decisions = try store.decisions()
        records = decisions.mapValues(\.record)
        desktopAnswers = Set(decisions.filter { $1.origin.manner == .desktop }.keys)
        origins = decisions.mapValues(\.origin)
        (useClock, lastUses) = (try store.useClock(), try store.lastUses())
        self.disabled = Set(disabled.keys)
        isOffAfterDamage = disabled[nil]?.manner == .damage
        desktopLevels = try store.desktopLevels()
        quietClients = try store.quietClients()
        reducedReleases = try store.reducedReleases()
        watched.conditions = try store.conditions()
        watched.visitWatchers = try store.visitWatchers()
        watched.visits = try store.visits()
        watched.isMarked = store.isMarked
        rules = try store.rules().mapValues(StoredRules.init)
        pacedReleases = try store.pacedReleases()
    }
}
