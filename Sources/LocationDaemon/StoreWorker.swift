import FairQueue
import LocationPolicy
import LocationStore
import NIOCore
import NIOPosix
import Synchronization

/// Does what takes the disk on a thread of its own, in an order that is fair: users take turns, so that nobody waits for
/// another's thousands, and what takes a permission away comes before everything else of everybody.
///
/// Changes that wait are written together, which takes the disk as long as one of them. What comes of them is told on the
/// event loop in the same order, and no more at once than the loop has time for.
final class StoreWorker: Sendable {
    /// Whom work is for: each has a turn.
    enum Owner: Hashable, Sendable {
        case user(UInt32)
        /// What the daemon does for itself.
        case system
    }

    /// What a change is about. Changes about the same are made in the order in which they were asked for.
    enum Subject: Hashable, Sendable {
        case client(ClientKey)
        case services(UInt32?)
        case roughRelease(client: String)
        case secret(client: String)
    }

    /// How much is to be done at once, and before what.
    enum Kind: Sendable {
        /// Reads, or has a transaction of its own.
        case single
        case change(Subject, isDenial: Bool)
    }

    /// More work than is kept for one user.
    struct Overload: Error, CustomStringConvertible {
        let description =
            "\(StoreWorker.limit) changes of the same user are waiting for the disk already; try again later"
    }

    /// As much may wait of one user; more than the connections that it has by default.
    static let limit = 4096
    /// So many changes are written together at most, so that one that comes meanwhile does not wait long.
    private static let groupSize = 32

    fileprivate struct Job: Sendable {
        let owner: Owner
        let kind: Kind
        /// Does it, and returns what tells of it.
        let perform: @Sendable (Confined) throws(StoreError) -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
        let eventLoop: any EventLoop
    }

    fileprivate struct Schedule<Element> {
        private var denials = FairQueue<Owner, Element>()
        private var others = FairQueue<Owner, Element>()

        var isEmpty: Bool { denials.isEmpty && others.isEmpty }
        func count(of owner: Owner) -> Int { denials.count(of: owner) + others.count(of: owner) }

        mutating func append(_ element: Element, of owner: Owner, isDenial: Bool) {
            if isDenial { denials.append(element, of: owner) } else { others.append(element, of: owner) }
        }

        var first: Element? { denials.first ?? others.first }
        mutating func popFirst() -> Element? { denials.popFirst() ?? others.popFirst() }

        /// What has to come before a denial comes with it.
        mutating func advance(of owner: Owner, where condition: (Element) -> Bool) {
            for element in others.removeAll(of: owner, where: condition) { denials.append(element, of: owner) }
        }
    }

    fileprivate struct State {
        var jobs = Schedule<Job>()
        var results = Schedule<@Sendable () -> Void>()
        var isWorking = false
        var isTelling = false
        var isShutDown = false
    }

    /// What belongs to the only thread of the pool.
    ///
    /// `@unchecked Sendable`: the store is touched on that thread only, and before it starts.
    final class Confined: @unchecked Sendable {
        let store: LocationStore
        init(_ store: LocationStore) { self.store = store }
    }

    /// That the store turned out to be damaged, which only opening it anew mends.
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

    /// Finishes what it was given and closes the store.
    func shutdown() async throws {
        state.withLock { $0.isShutDown = true }
        // A pool drops what has not begun when it is shut down.
        await finish()
        try await thread.shutdownGracefully()
    }

    /// Returns when all is done that it was given.
    func finish() async {
        // The one thread does not stop while there is something to do.
        await withCheckedContinuation { done in thread.submit { _ in done.resume() } }
    }

    /// Does something now, before others can ask for anything.
    func performFirst<Value: Sendable>(
        _ body: @escaping @Sendable (LocationStore) throws -> Value
    ) async throws -> Value {
        try await thread.runIfActive { [confined] in try body(confined.store) }
    }

    /// Does something in its turn. What it changes is on the disk when the future succeeds.
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
            // Nothing of it is on the disk. Each by itself finds out what is the matter with it.
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
            state.results.append(completion, of: job.owner, isDenial: job.isDenial)
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
        if job.isDenial { jobs.advance(of: job.owner) { $0.subject == job.subject } }
        jobs.append(job, of: job.owner, isDenial: job.isDenial)
        defer { isWorking = true }
        return isWorking ? .added : .toBegin
    }

    /// What is to be done next, and in one transaction. Nothing if there is nothing.
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
