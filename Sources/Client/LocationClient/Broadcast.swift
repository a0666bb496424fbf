import Synchronization

/// The newest value of something that changes, as a stream for each that iterates: first the newest one, then each change.
final class Broadcast<Value: Sendable & Equatable>: Sendable {
    private typealias Continuation = AsyncThrowingStream<Value, any Error>.Continuation

    private struct State {
        var newest: Value?
        var end: Result<Void, any Error>?
        var continuations: [UInt64: Continuation] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Sends a value, unless it is the same as the newest one.
    func send(_ value: Value) {
        let continuations = state.withLock { state -> [Continuation] in
            guard state.end == nil, state.newest != value else { return [] }
            state.newest = value
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.yield(value) }
    }

    /// Ends all streams, with an error unless it is `nil`. Only the first call has an effect.
    func finish(throwing error: (any Error)? = nil) {
        let continuations = state.withLock { state -> [Continuation] in
            guard state.end == nil else { return [] }
            state.end = error.map { .failure($0) } ?? .success(())
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.finish(throwing: error) }
    }

    /// Starts work that sends values. Its end, or its error, ends all streams.
    ///
    /// The task is unstructured, because a session works while it is held, whether or not its streams are iterated.
    func start(_ work: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        Task {
            do {
                try await work()
                finish()
            } catch {
                finish(throwing: error)
            }
        }
    }

    /// A stream of the newest value, if there is one, and of each change.
    var values: LocationErrorStream<AsyncThrowingStream<Value, any Error>> { LocationErrorStream(base: stream) }

    private var stream: AsyncThrowingStream<Value, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Value.self)
        let (id, end) = state.withLock { state in
            if let newest = state.newest { continuation.yield(newest) }
            state.lastID += 1
            if state.end == nil { state.continuations[state.lastID] = continuation }
            return (state.lastID, state.end)
        }
        switch end {
        case .success: continuation.finish()
        case .failure(let error): continuation.finish(throwing: error)
        case nil:
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { state in state.continuations[id] = nil }
            }
        }
        return stream
    }
}
