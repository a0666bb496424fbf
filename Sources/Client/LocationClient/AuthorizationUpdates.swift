import LocationInterface
import LocationModel

/// The authorization of this program: its present value, then one element for each change.
///
/// Each iteration is a stream of its own. It ends when its task is cancelled, and reconnects by itself when the service
/// restarts. `next()` throws ``LocationError/clientNotDeclared(message:)`` if the program is not declared, and
/// ``LocationError/serviceUnavailable(reason:)`` if the service cannot be reached at the start.
public struct AuthorizationUpdates: AsyncSequence, Sendable {
    let connector: ServiceConnector

    /// Returns an iterator, which connects at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(replies: ReconnectingReplies(connector: connector, parameters: Nothing()))
    }

    /// The iterator of one stream of authorizations.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: ReconnectingReplies<AuthorizationInterface.Watch>

        /// Returns the next authorization, or `nil` when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(LocationError) -> LocationAuthorization? {
            if let standIn = replies.standIn {
                return replies.nextIndex() == 0 ? try await standIn.authorization() : nil
            }
            while let element = try await replies.next(isolation: actor) {
                // While the connection is lost, the last known authorization stands.
                if case .reply(let status) = element { return LocationAuthorization(status) }
            }
            return nil
        }
    }
}
