import LocationInterface

/// The user's location as it changes.
///
/// Each iteration is a subscription of its own. It never ends by itself: when the service goes away it says so
/// (``ServiceUpdate/serviceUnavailable``) and connects again as soon as it is back. It throws ``LocationError`` when
/// the service cannot be reached at the start, or does not serve this program at all. Cancelling the task ends it.
///
/// A program that takes elements slowly gets the newest one each time, and ``ServiceUpdate/skippedCount`` says how
/// many it missed.
public struct LiveUpdates: AsyncSequence, Sendable {
    let connector: ServiceConnector
    let parameters: LocationInterface.Subscribe.Parameters

    /// Starts a subscription at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(replies: LastingReplies(connector: connector, parameters: parameters))
    }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: LastingReplies<LocationInterface.Subscribe>

        /// The next update; `nil` when the task was cancelled.
        public mutating func next() async throws -> LocationUpdate? {
            switch try await replies.next() {
            case .reply(let reply): LocationUpdate(reply)
            case .connectionLost: .connectionLost
            case nil: nil
            }
        }
    }
}
