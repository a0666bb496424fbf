import LocationInterface
import LocationModel

/// The authorization of a program, now and after every change.
///
/// As with ``LiveUpdates`` each iteration is a stream of its own that lasts until it is cancelled. It throws
/// ``LocationError/clientNotDeclared(message:)``, and ``LocationError/serviceUnavailable(reason:)`` when the service cannot
/// be reached at the start.
public struct AuthorizationUpdates: AsyncSequence, Sendable {
    let connector: ServiceConnector

    /// Starts to watch at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(replies: LastingReplies(connector: connector, parameters: Nothing()))
    }

    /// One stream of changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: LastingReplies<AuthorizationInterface.Watch>

        /// The next change; `nil` when the task was cancelled.
        public mutating func next() async throws -> LocationAuthorization? {
            while let element = try await replies.next() {
                // While the service is away nothing new is known.
                if case .reply(let status) = element { return LocationAuthorization(status) }
            }
            return nil
        }
    }
}
