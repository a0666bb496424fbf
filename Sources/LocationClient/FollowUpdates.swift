import LocationInterface

/// The frames of a view that follows the user.
///
/// As with ``LiveUpdates`` each iteration is a stream of its own that lasts until it is cancelled, says when the service
/// goes away and goes on when it is back; and a program that is slower than the frames gets the newest one each time.
public struct FollowUpdates: AsyncSequence, Sendable {
    let connector: ServiceConnector
    let parameters: LocationInterface.Follow.Parameters

    /// Starts to follow at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(replies: LastingReplies(connector: connector, parameters: parameters))
    }

    /// One stream of frames.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: LastingReplies<LocationInterface.Follow>

        /// The next update; `nil` when the task was cancelled.
        public mutating func next() async throws -> FollowUpdate? {
            switch try await replies.next() {
            case .reply(let reply): FollowUpdate(reply)
            case .connectionLost: .connectionLost
            case nil: nil
            }
        }
    }
}
