import LocationInterface
import LocationModel
import LocationPolicy
import LocationStore
import NIOCore
import NIOPosix

/// The store on a thread of its own: the disk may take its time, the event loop may not.
final class DecisionKeeper: Sendable {
    /// What was kept when the daemon started.
    struct Kept: Sendable {
        var records: [ClientKey: AuthorizationRecord] = [:]
        /// The users whose location services are off; `nil` stands for everybody's.
        var disabled: Set<UInt32?> = []
    }

    /// What belongs to the only thread of the pool.
    private final class Confined: @unchecked Sendable {
        // Sendable: what is in it is touched on that thread only, and before it starts.
        let store: LocationStore
        private var lastPruning: Timestamp?

        init(store: LocationStore) { self.store = store }

        /// Forgets history that ended more than `days` ago, once an hour at most.
        func prune(at now: Timestamp, days: Int) throws {
            if let lastPruning, now.duration(since: lastPruning) < .seconds(3600), now >= lastPruning { return }
            try store.prune(before: now.advanced(by: .seconds(-86_400 * Int64(days))))
            lastPruning = now
        }
    }

    /// The time of day, for what is written down.
    let now: @Sendable () -> Timestamp
    /// That the store turned out to be damaged, which only opening it anew mends.
    let damages: AsyncStream<StoreError>
    private let damageContinuation: AsyncStream<StoreError>.Continuation
    private let confined: Confined
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// Takes over a store.
    init(_ store: sending LocationStore, now: @escaping @Sendable () -> Timestamp) {
        confined = Confined(store: store)
        self.now = now
        (damages, damageContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        thread.start()
    }

    /// Finishes what it was given and closes the store.
    func shutdown() async throws {
        // A pool drops what has not begun when it is shut down. Its one thread takes one thing after the other.
        await withCheckedContinuation { done in thread.submit { _ in done.resume() } }
        try await thread.shutdownGracefully()
    }

    /// Reads what was decided, and forgets history that ended more than `historyDays` ago.
    func read(historyDays: Int) async throws -> Kept {
        let now = now()
        return try await thread.runIfActive { [confined] in
            try confined.prune(at: now, days: historyDays)
            let disabled = try confined.store.disabledServices()
            return Kept(
                records: try confined.store.decisions().mapValues(\.record),
                disabled: Set(disabled.users.keys.map { $0 } + (disabled.system == nil ? [] : [nil])))
        }
    }

    /// Keeps a decision. It is on disk when the future succeeds.
    func save(
        _ record: AuthorizationRecord, for key: ClientKey, origin: DecisionOrigin, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        run(on: eventLoop) { try $0.save(record, for: key, origin: origin) }
    }

    /// Keeps that location services are on or off, for a user or for everybody.
    func setEnabled(
        _ isEnabled: Bool, _ user: UInt32?, origin: DecisionOrigin, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        run(on: eventLoop) { try $0.setServiceEnabled(isEnabled, for: user, origin: origin) }
    }

    /// The secret of a client's grid; made and kept when first asked for.
    func secret(for client: String, on eventLoop: any EventLoop) -> EventLoopFuture<AccuracyReduction.Secret> {
        run(on: eventLoop) { try $0.reductionSecret(for: client) }
    }

    /// Keeps accesses as they are now, and forgets those that ended more than `historyDays` ago.
    func record(
        _ sessions: [AccessSession], historyDays: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let now = now()
        return run(on: eventLoop) { [confined] store in
            try store.record(sessions)
            try confined.prune(at: now, days: historyDays)
        }
    }

    /// When each client of a user was last given a location.
    func lastAccess(of user: UInt32, on eventLoop: any EventLoop) -> EventLoopFuture<[String: Timestamp]> {
        run(on: eventLoop) { store in
            let own = try store.lastAccess().filter { $0.key.userID == user }
            return Dictionary(uniqueKeysWithValues: own.map { ($0.key.client, $0.value) })
        }
    }

    /// Who had a user's location, the newest first.
    func history(
        of user: UInt32, client: String?, since: Timestamp?, limit: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[AccessSession]> {
        run(on: eventLoop) { try $0.history(user: user, client: client, since: since, limit: limit) }
    }

    private func run<Value: Sendable>(
        on eventLoop: any EventLoop, _ body: @escaping @Sendable (LocationStore) throws -> Value
    ) -> EventLoopFuture<Value> {
        thread.runIfActive(eventLoop: eventLoop) { [confined, damageContinuation] in
            do {
                return try body(confined.store)
            } catch let error as StoreError where error.code == .damaged {
                damageContinuation.yield(error)
                throw error
            }
        }
    }
}
