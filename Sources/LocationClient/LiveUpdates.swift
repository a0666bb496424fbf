import LocationInterface
import Varlink

/// The user's location as it changes.
///
/// Each iteration is a subscription of its own. It never ends by itself: when the service goes away it says so
/// (``LocationUpdate/serviceUnavailable``) and connects again as soon as it is back. It throws ``LocationError`` when
/// the service cannot be reached at the start, or does not serve this program at all. Cancelling the task ends it.
///
/// A program that takes elements slowly gets the newest one each time, and ``LocationUpdate/skippedCount`` says how
/// many it missed.
public struct LiveUpdates: AsyncSequence, Sendable {
    let connector: ServiceConnector
    let parameters: LocationInterface.Subscribe.Parameters

    /// Starts a subscription at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(connector: connector, parameters: parameters)
    }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        private let connector: ServiceConnector
        private let parameters: LocationInterface.Subscribe.Parameters
        private var replies: VarlinkReplies<LocationInterface.Subscribe.Reply>.AsyncIterator?
        private var backOff = BackOff()
        private var wasConnected = false

        init(connector: ServiceConnector, parameters: LocationInterface.Subscribe.Parameters) {
            self.connector = connector
            self.parameters = parameters
        }

        /// The next update; `nil` when the task was cancelled.
        public mutating func next() async throws -> LocationUpdate? {
            while !Task.isCancelled {
                do {
                    if replies == nil {
                        replies = try await connector.stream(LocationInterface.Subscribe.self, parameters)
                            .makeAsyncIterator()
                    }
                    if let reply = try await replies?.next() {
                        wasConnected = true
                        backOff = BackOff()
                        return LocationUpdate(reply)
                    }
                    throw LocationError.serviceUnavailable(reason: "The location service ended the subscription.")
                } catch {
                    let wasOpen = replies != nil
                    replies = nil
                    if Task.isCancelled { return nil }
                    guard wasConnected, case .serviceUnavailable = LocationError(error) else {
                        throw LocationError(error)
                    }
                    if wasOpen { return .connectionLost }
                    // Cancelled while it waits: the loop's condition sees it.
                    try? await Task.sleep(for: backOff.next())
                }
            }
            return nil
        }
    }
}

/// How long to wait before the next try to connect: doubling from 100 ms to 5 s, each drawn from the upper half, so
/// that many programs do not come back at the same moment.
struct BackOff {
    private var limit = Duration.milliseconds(100)

    /// The time to wait now; the next will be longer.
    mutating func next() -> Duration {
        defer { limit = min(limit * 2, .seconds(5)) }
        return limit * Double.random(in: 0.5...1)
    }
}
