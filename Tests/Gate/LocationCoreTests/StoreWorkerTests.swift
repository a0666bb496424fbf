import Dispatch
import Glibc
import LocationModel
import LocationPolicy
import LocationSources
@testable import LocationStore
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import LocationCore

@Suite("The order of work on the disk", .timeLimit(.minutes(10)))
struct StoreWorkerTests {
    private let directory: TemporaryDirectory
    private let worker: StoreWorker
    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let begun = Names()
    private let gate = Gate()

    init() throws {
        directory = try TemporaryDirectory()
        worker = StoreWorker(try LocationStore.open(directory: directory.path, now: .now()).store, now: { .now() }) {
            _, _ in {}
        }
    }

    private func key(_ user: UInt32, _ client: String) -> StoreWorker.Subject {
        .client(ClientKey(userID: user, client: client))
    }

    /// Has the disk be busy, so that what is asked for next waits.
    private func occupy(reportingOn eventLoop: (any EventLoop)? = nil) async -> EventLoopFuture<Void> {
        let loop = eventLoop ?? loop
        let promise = loop.makePromise(of: Void.self)
        await withCheckedContinuation { begun in
            worker.perform(for: .system, .single, on: loop) { [gate] _ in
                begun.resume()
                gate.pass()
            }.cascade(to: promise)
        }
        return promise.futureResult
    }

    private func perform(
        _ name: String, for owner: StoreWorker.Owner, _ kind: StoreWorker.Kind,
        _ body: @escaping @Sendable (LocationStore) throws(StoreError) -> Void = { (_) throws(StoreError) in }
    ) -> EventLoopFuture<Void> {
        worker.perform(for: owner, kind, on: loop) { [begun] store throws(StoreError) in
            begun.append(name)
            try body(store)
        }
    }

    @Test("a change of several statements is on disk as a whole or not at all, also alone")
    func changeIsAtomic() async throws {
        let (user, client) = (UInt32(1), ClientKey(userID: 1, client: "x"))
        let change = perform("a", for: .user(user), .change(.watched(client), isDenial: false)) {
            store throws(StoreError) in
            try store.setWatchesVisits(true, client)
            throw StoreError(code: .diskFull, path: "", detail: "no space")
        }
        await #expect(throws: StoreError.self) { try await change.get() }
        let watchers = worker.perform(for: .user(user), .single, on: loop) { store throws(StoreError) in
            try store.visitWatchers()
        }
        #expect(try await watchers.get().isEmpty)
        try await worker.shutdown()
    }

    @Test("users take turns, a user's denials come first, and changes about the same keep their order")
    func order() async throws {
        let busy = await occupy()
        let work = [
            perform("a1", for: .user(1), .change(key(1, "x"), isDenial: false)),
            perform("a2", for: .user(1), .single),
            perform("a3", for: .user(1), .change(key(1, "y"), isDenial: false)),
            perform("b1", for: .user(2), .single),
            perform("history", for: .system, .single),
            // Takes along what is about the same and was asked for before.
            perform("a4: denied", for: .user(1), .change(key(1, "y"), isDenial: true)),
            perform("a5", for: .user(1), .change(key(1, "y"), isDenial: false)),
            perform("c: denied", for: .user(3), .change(key(3, "x"), isDenial: true)),
        ]
        gate.open()
        try await busy.get()
        for future in work { try await future.get() }
        #expect(begun.all == ["a3", "b1", "history", "c: denied", "a4: denied", "a1", "a2", "a5"])
        try await worker.shutdown()
    }

    @Test("a denial among thousands of changes waits for one group of them at most")
    func denialAmongThousands() async throws {
        let busy = await occupy()
        let many = (0..<2000).map { number in
            perform("many", for: .user(1), .change(.services(1), isDenial: number.isMultiple(of: 2)))
        }
        let denial = perform("denied", for: .user(2), .change(key(2, "x"), isDenial: true))
        gate.open()
        try await busy.get()
        try await denial.get()
        for future in many { try await future.get() }
        #expect(try #require(begun.all.firstIndex(of: "denied")) <= 2)
        try await worker.shutdown()
    }

    @Test("a user who repeats denials gets one turn in each round, like everybody else")
    func repeatedDenials() async throws {
        let busy = await occupy()
        let many = (0..<500).map { _ in perform("off", for: .user(1), .change(.services(1), isDenial: true)) }
        let others = [
            perform("grant", for: .user(2), .change(key(2, "x"), isDenial: false)),
            perform("history", for: .user(3), .single),
            perform("list", for: .user(3), .single),
            perform("on for everybody", for: .system, .change(.services(nil), isDenial: false)),
            perform("reduced location", for: .system, .change(.reducedRelease(client: "x"), isDenial: false)),
        ]
        gate.open()
        try await busy.get()
        for future in many + others { try await future.get() }
        #expect(
            begun.all.prefix(8) == [
                "off", "grant", "history", "on for everybody", "off", "list", "reduced location", "off",
            ])
        try await worker.shutdown()
    }

    @Test("the result of a denial comes after those of the changes that preceded it")
    func resultsInOrder() async throws {
        // Its tasks run only when told, so that all results wait together, also that of the first work.
        let loop = NIOAsyncTestingEventLoop()
        _ = await occupy(reportingOn: loop)
        let told = Names()
        for (name, isDenial) in [("granted", false), ("denied", true)] {
            worker.perform(for: .user(1), .change(key(1, "x"), isDenial: isDenial), on: loop) {
                (_) throws(StoreError) in
            }.whenSuccess { told.append(name) }
        }
        gate.open()
        await worker.finish()
        await loop.run()
        #expect(told.all == ["granted", "denied"])
        try await worker.shutdown()
    }

    @Test("a change that fails does not fail those beside it")
    func failure() async throws {
        let busy = await occupy()
        let origin = DecisionOrigin(userID: 1, manner: .command, timestamp: .now())
        func save(_ client: String) -> EventLoopFuture<Void> {
            perform(client, for: .user(1), .change(key(1, client), isDenial: false)) { store throws(StoreError) in
                try store.save(AuthorizationRecord(), for: ClientKey(userID: 1, client: client), origin: origin)
            }
        }
        let first = save("first")
        let wrong = perform("wrong", for: .user(1), .change(key(1, "wrong"), isDenial: false)) {
            _ throws(StoreError) in throw StoreError(systemError: ENOSPC, path: "x")
        }
        let last = save("last")
        gate.open()
        try await busy.get()
        try await first.get()
        await #expect(throws: StoreError.self) { try await wrong.get() }
        try await last.get()
        let kept = try await worker.performFirst { try $0.decisions().keys.map(\.client).sorted() }
        #expect(kept == ["first", "last"])
        try await worker.shutdown()
    }

    @Test("one user's work is bounded, and refused beyond that")
    func bound() async throws {
        let busy = await occupy()
        let work = (0..<StoreWorker.limit).map { _ in perform("a", for: .user(1), .single) }
        await #expect(throws: StoreWorker.Overload.self) { try await perform("a", for: .user(1), .single).get() }
        let other = perform("b", for: .user(2), .single)
        gate.open()
        try await busy.get()
        try await other.get()
        for future in work { try await future.get() }
        try await perform("a", for: .user(1), .single).get()
        try await worker.shutdown()
        await #expect(throws: (any Error).self) { try await perform("late", for: .user(1), .single).get() }
    }
}

/// What has begun, in its order.
private final class Names: Sendable {
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func append(_ name: String) { names.withLock { $0.append(name) } }
}

/// Lets nobody pass until it is open.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func pass() { semaphore.wait() }
    func open() { semaphore.signal() }
}
