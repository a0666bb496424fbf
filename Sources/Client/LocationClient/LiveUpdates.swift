import LocationInterface

/// A stream of location updates.
///
/// Each iteration is a subscription of its own, and ends when its task is cancelled. If the service goes away, one
/// update reports it (``ServiceUpdate/serviceUnavailable``) and the stream continues when the service is back. `next()`
/// throws ``LocationError`` if the service cannot be reached at the start or refuses this program for good.
///
/// A program that takes elements slowly receives the newest location each time, however slow it is, and
/// ``ServiceUpdate/skippedCount`` counts the dropped ones. No diagnostic is dropped, and after one that changes what the program
/// may know nothing from before it follows.
public struct LiveUpdates: AsyncSequence, Sendable {
    let connector: ServiceConnector
    let parameters: LocationInterface.Subscribe.Parameters

    /// Returns an iterator, which subscribes at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(replies: ReconnectingReplies(connector: connector, parameters: parameters, keep: NewestPosition.keep))
    }

    /// The iterator of one subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: ReconnectingReplies<LocationInterface.Subscribe>

        /// Returns the next update, or `nil` when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LocationError) -> LocationUpdate?
        {
            if let standIn = replies.standIn { return try await standIn.updates(replies.nextIndex()) }
            return switch try await replies.next(isolation: actor) {
            case .reply(let reply): LocationUpdate(reply)
            case .connectionLost: .connectionLost
            case nil: nil
            }
        }
    }
}
