import Pacing
import LocationModel
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
        case quiet(ClientKey)
        case watched(ClientKey)
        case watchMark
        case rules(user: UInt32)
        case pacedRelease(ClientKey)
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
        let perform: @Sendable (LocationStore) throws(StoreError) -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
        let eventLoop: any EventLoop
    }

    fileprivate struct State {
        var jobs = FairQueue<Owner, Job>()
        var results = FairQueue<Owner, @Sendable () -> Void>()
        var isWorking = false
        var isReporting = false
        var isShutDown = false
        /// Notifies the event loop of a reopened store. It comes after the results of the previous one, and
        /// before further work.
        var adoption: (@Sendable () -> Void)?
    }

    /// The state of the worker's only thread.
    ///
    /// `@unchecked Sendable` because the store is used on that thread only, and before it starts.
    final class Confined: @unchecked Sendable {
        /// The store; `nil` while it cannot be reopened.
        fileprivate var store: LocationStore?
        /// The reason for that.
        fileprivate var failure: StoreError?
        init(_ store: LocationStore) { self.store = store }
    }

    /// Called on the thread when the store was reopened, because its file had been moved or overwritten. Returns the
    /// function that adopts the new content on the event loop.
    typealias Reopened = @Sendable (LocationStore, StoreOpening) throws(StoreError) -> @Sendable () -> Void

    /// Yields an error when the store turns out to be damaged. Only opening it again repairs that.
    let damages: AsyncStream<StoreError>
    private let damageContinuation: AsyncStream<StoreError>.Continuation
    private let confined: Confined
    private let state = Mutex(State())
    private let thread = NIOThreadPool(numberOfThreads: 1)
    /// The directory of the store.
    let directory: String
    private let now: @Sendable () -> Timestamp
    private let onReopened: Reopened

    init(
        _ store: sending LocationStore, now: @escaping @Sendable () -> Timestamp, onReopened: @escaping Reopened
    ) {
        directory = store.directoryPath
        self.now = now
        self.onReopened = onReopened
        confined = Confined(store)
        (damages, damageContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        thread.start()
    }

    /// Finishes pending work and closes the store.
    func shutdown() async throws {
        state.withLock { $0.isShutDown = true }
        // A thread pool drops work that has not started when it is shut down.
        thread.submit { _ in self.work() }
        await finish()
        try await thread.shutdownGracefully()
        // The thread has ended.
        confined.store = nil
    }

    /// Returns when pending work is done.
    func finish() async {
        // The only thread pauses while there is work only until the event loop has adopted a reopened store.
        await withCheckedContinuation { done in thread.submit { _ in done.resume() } }
    }

    /// True if no work waits, and the content of a reopened store is adopted.
    var isIdle: Bool { state.withLock { !$0.isWorking && $0.adoption == nil } }

    /// Performs work at once, before any other is accepted.
    func performFirst<Value: Sendable>(
        _ body: @escaping @Sendable (LocationStore) throws -> Value
    ) async throws -> Value {
        try await thread.runIfActive { [self] in
            guard let store = confined.store else { throw confined.failure ?? closed }
            let value = try body(store)
            try store.confirmChange()
            return value
        }
    }

    /// Performs work in its turn. Changes are on disk when the future succeeds.
    func perform<Value: Sendable>(
        for owner: Owner, _ kind: Kind, on eventLoop: any EventLoop,
        _ body: @escaping @Sendable (LocationStore) throws(StoreError) -> Value
    ) -> EventLoopFuture<Value> {
        let promise = eventLoop.makePromise(of: Value.self)
        let job = Job(
            owner: owner, kind: kind,
            perform: { store throws(StoreError) in
                let value = try body(store)
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
        do throws(StoreError) {
            var results: [@Sendable () -> Void] = []
            guard let store = confined.store else { throw confined.failure ?? closed }
            try store.requireUntouched()
            if let job = group.first, job.subject == nil {
                results.append(try job.perform(store))
            } else {
                // Also a single change, which may have a thousand statements.
                try store.transaction { () throws(StoreError) in
                    for job in group { results.append(try job.perform(store)) }
                }
            }
            try store.confirmChange()
            for (job, result) in zip(group, results) { report(job, result) }
        } catch {
            let isToReopen = error.code == .moved || confined.store == nil
            // The transaction was rolled back. Performed one by one, each change shows whether it fails.
            guard group.count == 1 || isToReopen else { return group.forEach { perform([$0]) } }
            if error.code == .damaged, !isToReopen { damageContinuation.yield(error) }
            for job in group { report(job) { job.fail(error) } }
            if isToReopen { reopen(for: group[0].eventLoop) }
        }
    }

    /// The error of work that comes while the store is closed.
    private var closed: StoreError {
        StoreError(code: .moved, path: "\(directory)/locationd.db", detail: "it could not be opened again")
    }

    /// Opens the file that is at the path now, and has the event loop adopt its content.
    private func reopen(for eventLoop: any EventLoop) {
        // Releases the lock of the directory first.
        confined.store = nil
        do throws(StoreError) {
            let (store, opening) = try LocationStore.open(directory: directory, now: now())
            let adoption = try onReopened(store, opening)
            try store.confirmChange()
            (confined.store, confined.failure) = (store, nil)
            state.withLock { $0.adoption = adoption }
            beginReporting(on: eventLoop)
        } catch {
            // The next job tries to open the database again, and fails with this reason if it cannot.
            confined.failure = error
        }
    }

    private func report(_ job: Job, _ completion: @escaping @Sendable () -> Void) {
        state.withLock { $0.results.append(completion, of: job.owner) }
        beginReporting(on: job.eventLoop)
    }

    private func beginReporting(on eventLoop: any EventLoop) {
        let isToBegin = state.withLock { state in
            defer { state.isReporting = true }
            return !state.isReporting
        }
        if isToBegin { eventLoop.execute { self.reportResults(on: eventLoop) } }
    }

    // MARK: On the event loop

    private func reportResults(on eventLoop: any EventLoop) {
        let slice = LoopSlice(on: eventLoop)
        while let completion = state.withLock({ $0.nextResult() }) {
            completion()
            guard !slice.isOver else { return slice.resumeLater { self.reportResults(on: eventLoop) } }
        }
        guard let adopt = state.withLock({ $0.adoption }) else { return }
        adopt()
        state.withLock { $0.adoption = nil }
        thread.submit { _ in self.work() }
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
        // Earlier changes of the same subject become urgent, too: the denial must not overtake them.
        if job.isDenial { jobs.makeUrgent(of: job.owner) { $0.subject == job.subject } }
        jobs.append(job, of: job.owner, isUrgent: job.isDenial)
        defer { isWorking = true }
        return isWorking ? .added : .toBegin
    }

    /// The next work for one transaction; empty if there is none.
    fileprivate mutating func nextGroup() -> [StoreWorker.Job] {
        // Until the new content is adopted, except for the end, which is not reported.
        guard adoption == nil || isShutDown else { return [] }
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
        if result == nil { isReporting = false }
        return result
    }
}
