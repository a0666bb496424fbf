import LocationModel
import Logging
import NIOCore
import NIOPosix

@testable import LocationSources

/// A `GPSDSource` on a loop of its own, with awaitable events.
final class SourceUnderTest: Sendable {
    let events: AsyncStream<SourceEvent>
    let loop: any EventLoop
    let source: GPSDSource
    private let continuation: AsyncStream<SourceEvent>.Continuation

    init(_ endpoint: GPSDEndpoint, device: String? = nil) {
        let (events, continuation) = AsyncStream.makeStream(of: SourceEvent.self)
        self.events = events
        self.continuation = continuation
        loop = MultiThreadedEventLoopGroup.singleton.next()
        source = GPSDSource(
            endpoint: endpoint, device: device, eventLoop: loop,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            handler: { continuation.yield($0) })
    }

    func setNeeded(_ needed: Bool) async throws {
        try await loop.submit { self.source.setNeeded(needed) }.get()
    }

    func status() async throws -> SourceStatus {
        try await loop.submit { self.source.status }.get()
    }

    /// All remaining events after `shutdown`.
    func finished() async -> [SourceEvent] {
        continuation.finish()
        return await events.reduce(into: []) { $0.append($1) }
    }

    func shutdown() async throws {
        try await loop.submit { self.source.shutdown() }.get()
    }

    /// Waits until the status meets a condition, checked after each turn of the loop.
    func status(where isAsExpected: @escaping @Sendable (SourceStatus) -> Bool) async throws -> SourceStatus {
        let promise = loop.makePromise(of: SourceStatus.self)
        loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { task in
            let status = self.source.status
            guard isAsExpected(status) else { return }
            task.cancel()
            promise.succeed(status)
        }
        return try await promise.futureResult.get()
    }
}
