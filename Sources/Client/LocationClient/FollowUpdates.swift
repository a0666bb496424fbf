import LocationInterface

/// The frames of a view that follows the user.
///
/// As with ``LiveUpdates``, each iteration is a stream of its own that ends when its task is cancelled, reports a lost
/// connection, and continues when the service is back. A program slower than the frames receives the newest one each
/// time.
public struct FollowUpdates: AsyncSequence, Sendable {
    let connector: ServiceConnector
    let parameters: LocationInterface.Follow.Parameters

    /// Returns an iterator, which connects at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(replies: ReconnectingReplies(connector: connector, parameters: parameters, keep: NewestPosition.keep))
    }

    /// The iterator of one stream of frames.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: ReconnectingReplies<LocationInterface.Follow>

        /// Returns the next update, or `nil` when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LocationError) -> FollowUpdate? {
            if let standIn = replies.standIn { return try await standIn.frames(replies.nextIndex()) }
            return switch try await replies.next(isolation: actor) {
            case .reply(let reply): FollowUpdate(reply)
            case .connectionLost: .connectionLost
            case nil: nil
            }
        }
    }
}
