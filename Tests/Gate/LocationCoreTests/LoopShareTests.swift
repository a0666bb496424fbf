import NIOCore
import NIOPosix
import Testing

@testable import LocationCore

@Suite(.timeLimit(.minutes(10))) struct LoopShareTests {
    /// What was done: for whom, and what.
    private final class Record: @unchecked Sendable {
        // Sendable: confined to the event loop.
        var entries: [[Int]] = []
    }

    /// A queue without a core, which performs no actions.
    private func startedQueue(on loop: any EventLoop) -> CoreQueue {
        let queue = CoreQueue(eventLoop: loop)
        queue.start { _ in }
        return queue
    }

    /// Runs on a real loop until so many pieces of work are done.
    private func run(
        pieces: Int, _ begin: @escaping @Sendable (_ share: LoopShare, _ work: @escaping (Int, Int) -> Void) -> Void
    ) async throws -> [[Int]] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let done = loop.makePromise(of: [[Int]].self)
        loop.execute {
            let record = Record()
            begin(LoopShare(queue: startedQueue(on: loop))) { user, number in
                record.entries.append([user, number])
                if record.entries.count == pieces { done.succeed(record.entries) }
            }
        }
        return try await done.futureResult.get()
    }

    /// Longer than one slice.
    private func takeLong() {
        let end = NIODeadline.now() + .milliseconds(2)
        while .now() < end {}
    }

    @Test("short work is done at once, in its order")
    func atOnce() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (done, backlog) = try await loop.submit {
            let share = LoopShare(queue: startedQueue(on: loop))
            var done: [Int] = []
            share.forEach(Array(0..<10), for: 1) { done.append($0) }
            return (done, share.backlog(of: 1))
        }.get()
        // A loaded machine may take the processor away in the middle.
        #expect(done.count + (backlog > 0 ? 10 : 0) >= 10)
        #expect(done == Array(0..<done.count))
    }

    @Test("all waiting work is done, each user's in its order, and users in turn")
    func turns() async throws {
        let done = try await run(pieces: 8) { [self] share, work in
            for user in [1, 2] {
                share.forEach(Array(0..<4), for: UInt32(user)) {
                    takeLong()
                    work(user, $0)
                }
            }
        }
        #expect(done.filter { $0[0] == 1 }.map { $0[1] } == [0, 1, 2, 3])
        #expect(done.filter { $0[0] == 2 }.map { $0[1] } == [0, 1, 2, 3])
        // Whether the first user has a step at once depends on the machine.
        let users = done.dropFirst().prefix(6).map { $0[0] }
        #expect(zip(users, users.dropFirst()).allSatisfy { $0 != $1 }, "one step each: \(users)")
    }

    @Test("work that is added by work waits for its turn, and is done")
    func nested() async throws {
        let done = try await run(pieces: 4) { [self] share, work in
            share.forEach([0, 1], for: 1) { number in
                takeLong()
                work(1, number)
                share.forEach([10 + number], for: 1) { work(1, $0) }
            }
        }
        #expect(Set(done.map { $0[1] }) == [0, 1, 10, 11])
    }
}
