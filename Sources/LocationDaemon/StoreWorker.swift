import FairQueue
import LocationPolicy
import LocationStore
import NIOCore
import NIOPosix
import Synchronization

/// Performs the store's work on a thread of its own in a fair order: users take turns, so that none waits for another
/// one's long queue, and the denials of a user come before their other work.
///
/// Waiting changes are written in one transaction, which takes no longer than one change. Results are reported on the
/// event loop, in time slices: users take turns, and those of one user keep the order in which the work was done.
final class StoreWorker: Sendable {
    /// The owner of work; owners take turns.
    enum Owner: Hashable, Sendable {
        case user(UInt32)
        /// The daemon itself.
        case system
    }

    /// The subject of a change. Changes of the same subject keep their order.
    enum Subject: Hashable, Sendable {
        case client(ClientKey)
        case services(UInt32?)
        case desktopLevel(user: UInt32)
        case reducedRelease(client: String)
        case secret(client: String)
    }

    /// The kind of work, which decides about grouping and priority.
    enum Kind: Sendable {
        /// A query, or a transaction of its own.
        case single
        case change(Subject, isDenial: Bool)
    }

    /// The queue of one user is full.
    struct Overload: Error, CustomStringConvertible {
        let description =
            "\(StoreWorker.limit) changes of the same user already wait for the disk; try again later"
    }

    /// The longest queue of one user; more than the default number of connections.
    static let limit = 4096
    /// The most changes in one transaction, so that a new one does not wait long.
    private static let groupSize = 32

    fileprivate struct Job: Sendable {
        let owner: Owner
        let kind: Kind
        /// Performs the work and returns the function that reports its result.
        let perform: @Sendable (Confined) throws(StoreError) -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
        let eventLoop: any EventLoop
    }

    fileprivate struct State {
        var jobs = FairQueue<Owner, Job>()
        var results = FairQueue<Owner, @Sendable () -> Void>()
        var isWorking = false
        var isTelling = false
        var isShutDown = false
    }

    /// The state of the worker's only thread.
    ///
    /// `@unchecked Sendable` because the store is used on that thread only, and before it starts.
    final class Confined: @unchecked Sendable {
        let store: LocationStore
        init(_ store: LocationStore) { self.store = store }
    }

    /// Yields an error when the store turns out to be damaged. Only opening it again repairs that.
    let damages: AsyncStream<StoreError>
    private let damageContinuation: AsyncStream<StoreError>.Continuation
    private let confined: Confined
    private let state = Mutex(State())
    private let thread = NIOThreadPool(numberOfThreads: 1)

    init(_ store: sending LocationStore) {
        confined = Confined(store)
        (damages, damageContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        thread.start()
    }

    /// Finishes pending work and closes the store.
    func shutdown() async throws {
        state.withLock { $0.isShutDown = true }
        // A thread pool drops work that has not started when it is shut down.
        await finish()
        try await thread.shutdownGracefully()
    }

    /// Returns when pending work is done.
    func finish() async {
        // The only thread does not pause while there is work.
        await withCheckedContinuation { done in thread.submit { _ in done.resume() } }
    }

    /// Performs work at once, before any other is accepted.
    func performFirst<Value: Sendable>(
        _ body: @escaping @Sendable (LocationStore) throws -> Value
    ) async throws -> Value {
        try await thread.runIfActive { [confined] in try body(confined.store) }
    }

    /// Performs work in its turn. Changes are on disk when the future succeeds.
    func perform<Value: Sendable>(
        for owner: Owner, _ kind: Kind, on eventLoop: any EventLoop,
        _ body: @escaping @Sendable (LocationStore) throws(StoreError) -> Value
    ) -> EventLoopFuture<Value> {
        let promise = eventLoop.makePromise(of: Value.self)
        let job = Job(
            owner: owner, kind: kind,
            perform: { confined throws(StoreError) in
                let value = try body(confined.store)
                return { promise.succeed(value) }
            },
            fail: { promise.fail($0) }, eventLoop: eventLoop)
        let refusal = state.withLock { $0.add(job) }
        switch refusal {
        case .refused(let error): promise.fail(error)
        case .toBegin: thread.submit { _ in self.work() }
        case .added: break
        }
        return promise.futureResult
    }

    // MARK: On the thread

    private func work() {
        while case let group = state.withLock({ $0.nextGroup() }), !group.isEmpty { perform(group) }
    }

    private func perform(_ group: [Job]) {
        guard group.count > 1 else { return group.forEach(performAlone) }
        do throws(StoreError) {
            var results: [@Sendable () -> Void] = []
            try confined.store.transaction { () throws(StoreError) in
                for job in group { results.append(try job.perform(confined)) }
            }
            for (job, result) in zip(group, results) { tell(job, result) }
        } catch {
            // The transaction was rolled back. Performed one by one, each change shows whether it fails.
            group.forEach(performAlone)
        }
    }

    private func performAlone(_ job: Job) {
        do throws(StoreError) {
            tell(job, try job.perform(confined))
        } catch {
            if error.code == .damaged { damageContinuation.yield(error) }
            tell(job) { job.fail(error) }
        }
    }

    private func tell(_ job: Job, _ completion: @escaping @Sendable () -> Void) {
        let isToBegin = state.withLock { state in
            state.results.append(completion, of: job.owner)
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if isToBegin { job.eventLoop.execute { self.tellResults(on: job.eventLoop) } }
    }

    // MARK: On the event loop

    private func tellResults(on eventLoop: any EventLoop) {
        let slice = LoopSlice(on: eventLoop)
        while let completion = state.withLock({ $0.nextResult() }) {
            completion()
            guard !slice.isOver else { return slice.resumeLater { self.tellResults(on: eventLoop) } }
        }
    }
}

extension StoreWorker.Job {
    fileprivate var subject: StoreWorker.Subject? { if case .change(let subject, _) = kind { subject } else { nil } }
    fileprivate var isDenial: Bool { if case .change(_, isDenial: true) = kind { true } else { false } }
}

extension StoreWorker.State {
    fileprivate enum Admission {
        case refused(any Error)
        case toBegin
        case added
    }

    fileprivate mutating func add(_ job: StoreWorker.Job) -> Admission {
        guard !isShutDown else { return .refused(ChannelError.ioOnClosedChannel) }
        guard job.owner == .system || jobs.count(of: job.owner) < StoreWorker.limit else {
            return .refused(StoreWorker.Overload())
        }
        // What has to precede the denial goes along.
        if job.isDenial { jobs.makeUrgent(of: job.owner) { $0.subject == job.subject } }
        jobs.append(job, of: job.owner, isUrgent: job.isDenial)
        defer { isWorking = true }
        return isWorking ? .added : .toBegin
    }

    /// The next work for one transaction; empty if there is none.
    fileprivate mutating func nextGroup() -> [StoreWorker.Job] {
        var group: [StoreWorker.Job] = []
        while group.count < StoreWorker.groupSize, let job = jobs.first, group.isEmpty || job.subject != nil {
            _ = jobs.popFirst()
            group.append(job)
            guard job.subject != nil else { break }
        }
        if group.isEmpty { isWorking = false }
        return group
    }

    fileprivate mutating func nextResult() -> (@Sendable () -> Void)? {
        let result = results.popFirst()
        if result == nil { isTelling = false }
        return result
    }
}
