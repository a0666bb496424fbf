import LocationInterface
import LocationModel
import Pacing
import Varlink

/// The replies to a call with `more`, across connections: after a lost connection it connects again, with back-off, and
/// repeats the call.
struct ReconnectingReplies<Method: InterfaceMethod> {
    /// A reply, or the loss of the connection.
    enum Element {
        case reply(Method.Reply)
        /// The connection was lost; the next element follows once it is restored.
        case connectionLost
    }

    private let connector: ServiceConnector
    private let parameters: Method.Parameters
    private let keep: VarlinkClient.Keep<Method.Reply>?
    private var replies: VarlinkReplies<Method.Reply>.AsyncIterator?
    /// The delays before it connects again.
    var backOff = BackOff.connecting
    private var wasConnected = false
    private var hasFoundItStopping = false
    private var indexOfStandIn = 0
    /// A test's answers, in place of the service's; `nil` outside of tests.
    var standIn: LocationStandIn? { connector.standIn }

    /// Creates a stream that connects at the first call of `next()`.
    ///
    /// - Parameter keep: Decides which replies wait for a slow consumer; `nil`, the default, leaves all of them to the service.
    init(
        connector: ServiceConnector, parameters: Method.Parameters, keep: VarlinkClient.Keep<Method.Reply>? = nil
    ) {
        (self.connector, self.parameters, self.keep) = (connector, parameters, keep)
    }

    /// The index of the stand-in's next element.
    mutating func nextIndex() -> Int {
        defer { indexOfStandIn += 1 }
        return indexOfStandIn
    }

    /// Returns the next element, or `nil` when the task is cancelled. Throws `LocationError` if reconnecting cannot
    /// help, or if the first connection fails.
    mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> Element? {
        while !Task.isCancelled {
            do {
                if replies == nil {
                    replies = try await connector.stream(Method.self, parameters, keep: keep).makeAsyncIterator()
                }
                if let reply = try await replies?.next(isolation: actor) {
                    wasConnected = true
                    backOff.reset()
                    return .reply(reply)
                }
                throw LocationError.serviceUnavailable(reason: "The location service ended the subscription.")
            } catch let error as VarlinkError where error.isServiceStopping && !wasConnected && !hasFoundItStopping {
                // The service was exiting when the connection was made. One more attempt reaches its successor, if
                // there is one.
                hasFoundItStopping = true
                replies = nil
            } catch {
                let wasOpen = replies != nil
                replies = nil
                if Task.isCancelled { return nil }
                guard wasConnected, case .serviceUnavailable = LocationError(error) else {
                    throw await connector.explained(error)
                }
                if wasOpen { return .connectionLost }
                // A cancellation meanwhile ends the loop by its condition.
                try? await backOff.sleep()
            }
        }
        return nil
    }
}

extension BackOff {
    /// The delays between attempts to reach the service.
    static var connecting: BackOff { BackOff(from: .milliseconds(100), to: .seconds(5)) }

    /// Waits for the delay before the next attempt.
    mutating func sleep() async throws { try await Task.sleep(for: next(random: .random(in: 0...1))) }
}
