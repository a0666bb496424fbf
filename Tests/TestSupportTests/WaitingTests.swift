import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite("Waiting", .timeLimit(.minutes(10)))
struct WaitingTests {
    /// Confined to its loop.
    private final class State: Sendable {
        let count = Mutex(0)
    }

    @Test("a condition is examined after each turn of the loop, and the wait ends with the first that meets it")
    func condition() async throws {
        let (loop, state) = (ObservedLoops.next(), State())
        async let met: Void = ObservedLoops.ensure("three turns", on: loop) { state.count.withLock { $0 } >= 3 }
        for _ in 0..<3 { try await loop.submit { state.count.withLock { $0 += 1 } }.get() }
        try await met
    }

    @Test("a wait returns the value of its trigger once the trigger has met the condition, even if later")
    func trigger() async throws {
        let (loop, state) = (ObservedLoops.next(), State())
        let result = try await ObservedLoops.wait(
            for: "a turn", on: loop,
            after: {
                loop.execute { loop.execute { state.count.withLock { $0 = 1 } } }
                return "triggered"
            },
            until: { state.count.withLock { $0 } == 1 })
        #expect(result == "triggered")
        #expect(state.count.withLock { $0 } == 1)
    }

    @Test("a wait whose condition is met before its trigger fails with its name, and triggers nothing")
    func conditionMetBeforeTrigger() async throws {
        let state = State()
        await #expect {
            try await ObservedLoops.wait(
                for: "a condition that is always met", on: ObservedLoops.next(),
                after: { state.count.withLock { $0 += 1 } }, until: { true })
        } throws: {
            $0 is MetBeforeTrigger && "\($0)".hasPrefix("a condition that is always met: ")
        }
        #expect(state.count.withLock { $0 } == 0)
    }

    @Test("a condition that is to be ensured and is met already needs no other event")
    func conditionMetBefore() async throws {
        try await ObservedLoops.ensure("nothing", on: ObservedLoops.next()) { true }
    }

    @Test("a wait that is given up throws its name, also if it is given up before it begins")
    func cancelled() async {
        for begins in [true, false] {
            let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                if !begins { withUnsafeCurrentTask { $0?.cancel() } }
                try await ObservedLoops.ensure("what never comes", on: ObservedLoops.next()) {
                    continuation.finish()
                    return false
                }
            }
            if begins {
                for await _ in begun {}
                task.cancel()
            }
            await #expect { try await task.value } throws: { "\($0)".contains("what never comes") }
        }
    }

    @Test("the end of a stream before the wanted element is an error with its name")
    func streamEnds() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
        var numbers = stream.makeAsyncIterator()
        #expect(try await numbers.first("an even number") { $0.isMultiple(of: 2) } == 2)
        await #expect { try await numbers.first("a five") { $0 == 5 } } throws: { "\($0)".contains("a five") }
    }

    @Test("an error after the time limit has the name of its wait")
    func named() async {
        let task = Task {
            try await waiting(for: "an answer") {
                withUnsafeCurrentTask { $0?.cancel() }
                throw CancellationError()
            }
        }
        await #expect { try await task.value } throws: { "\($0)".contains("an answer") }
    }
}
