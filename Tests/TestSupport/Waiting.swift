package import NIOCore
package import NIOPosix
import Synchronization

/// A wait that was given up, at a suite's time limit or at the end of what was awaited.
package struct AwaitedInVain: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String, because reason: String = "the time limit is over") {
        description = "awaited in vain: \(what) (\(reason))"
    }
}

/// A wait for a condition that was met before anything was done to meet it.
package struct MetBeforeTrigger: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String) {
        description = "\(what): the condition is met before the trigger, so this would wait for nothing"
    }
}

/// Awaits what `body` does. At the time limit of the suite the test fails with the name of the wait.
package func waiting<Result>(
    for what: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async throws -> Result {
    do {
        return try await body()
    } catch  where Task.isCancelled {
        throw AwaitedInVain(what)
    }
}

/// Lets time pass. For tests whose subject is time, such as a kill at a random moment or that nothing happens for a while,
/// and for a state of another process that no event tells of.
package func pass(_ time: Duration) async throws { try await Task.sleep(for: time) }

extension AsyncIteratorProtocol {
    /// The next element that is wanted. Those before it are passed over.
    package mutating func first(
        _ what: String, isolation: isolated (any Actor)? = #isolation, where isWanted: (Element) -> Bool
    ) async throws -> Element {
        while let element = try await next(isolation: isolation) {
            if isWanted(element) { return element }
        }
        throw AwaitedInVain(what, because: Task.isCancelled ? "the time limit is over" : "nothing more comes")
    }
}

/// Event loops for what is tested, each of whose turns is an event. What a loop owns changes only in its turns, so a test
/// that waits for a state has it examined after each turn, and never asks again in a loop of its own.
package final class ObservedLoops: NIOEventLoopMetricsDelegate {
    private static let observer = ObservedLoops()
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2, metricsDelegate: observer)

    package static func next() -> any EventLoop { group.next() }

    /// Waits until what `trigger` does has met a condition on what a loop owns. The condition is evaluated on the loop.
    ///
    /// Throws if the condition is met before the trigger, because such a wait would wait for nothing.
    @discardableResult
    package static func wait<Result>(
        for what: String, on loop: any EventLoop, after trigger: () async throws -> Result,
        until isMet: @escaping @Sendable () -> Bool
    ) async throws -> Result {
        if try await loop.submit(isMet).get() { throw MetBeforeTrigger(what) }
        let result = try await trigger()
        try await ensure(what, on: loop, until: isMet)
        return result
    }

    /// Waits unless a condition on what a loop owns is met already. Only for an event that may come before the wait can begin,
    /// such as the end of a timer; otherwise `wait(for:on:after:until:)` shows that the wait has a purpose.
    package static func ensure(
        _ what: String, on loop: any EventLoop, until isMet: @escaping @Sendable () -> Bool
    ) async throws {
        let wait = Wait(isMet)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The end of this turn is the first at which the condition is evaluated.
                loop.execute { observer.begin(wait, continuation, on: loop) }
            }
        } onCancel: {
            loop.execute { wait.fail(AwaitedInVain(what)) }
        }
    }

    /// One wait.
    ///
    /// `@unchecked Sendable` because its mutable state is confined to its loop.
    private final class Wait: @unchecked Sendable {
        let isMet: @Sendable () -> Bool
        var continuation: CheckedContinuation<Void, any Error>?
        var failure: AwaitedInVain?

        init(_ isMet: @escaping @Sendable () -> Bool) {
            self.isMet = isMet
        }

        func fail(_ failure: AwaitedInVain) {
            self.failure = failure
        }

        /// True when it is over.
        func examine() -> Bool {
            if let failure {
                continuation?.resume(throwing: failure)
            } else if isMet() {
                continuation?.resume()
            } else {
                return false
            }
            return true
        }
    }

    private let waits = Mutex<[ObjectIdentifier: [Wait]]>([:])

    private func begin(_ wait: Wait, _ continuation: CheckedContinuation<Void, any Error>, on loop: any EventLoop) {
        wait.continuation = continuation
        waits.withLock { $0[ObjectIdentifier(loop), default: []].append(wait) }
    }

    /// On the loop, at the end of each of its turns.
    package func processedTick(info: NIOEventLoopTickInfo) {
        let due = waits.withLock { $0.removeValue(forKey: info.eventLoopID) }
        guard let due else { return }
        let left = due.filter { !$0.examine() }
        guard !left.isEmpty else { return }
        waits.withLock { $0[info.eventLoopID, default: []] += left }
    }
}
