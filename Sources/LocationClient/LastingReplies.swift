import LocationInterface
import LocationModel
import Pacing
import Varlink

/// The answers to a call with `more`, beyond the life of one connection: when the service goes away it is connected to
/// again, with back-off, and the call made anew.
struct LastingReplies<Method: InterfaceMethod> {
    /// A reply, or the loss of the connection.
    enum Element {
        case reply(Method.Reply)
        /// The connection was lost and is being made again.
        case connectionLost
    }

    private let connector: ServiceConnector
    private let parameters: Method.Parameters
    private var replies: VarlinkReplies<Method.Reply>.AsyncIterator?
    private var backOff = BackOff.connecting
    private var wasConnected = false
    private var hasFoundItStopping = false

    /// Connects at the first call of `next()`.
    init(connector: ServiceConnector, parameters: Method.Parameters) {
        self.connector = connector
        self.parameters = parameters
    }

    /// The next answer; `nil` when the task was cancelled. Throws `LocationError` for what connecting again does not
    /// mend, and when there was no connection yet.
    mutating func next() async throws -> Element? {
        while !Task.isCancelled {
            do {
                if replies == nil { replies = try await connector.stream(Method.self, parameters).makeAsyncIterator() }
                if let reply = try await replies?.next() {
                    wasConnected = true
                    backOff.reset()
                    return .reply(reply)
                }
                throw LocationError.serviceUnavailable(reason: "The location service ended the subscription.")
            } catch let error as VarlinkError where error.isServiceStopping && !wasConnected && !hasFoundItStopping {
                // It was ending when it was connected to. Whoever listens next is asked; there may be nobody.
                hasFoundItStopping = true
                replies = nil
            } catch {
                let wasOpen = replies != nil
                replies = nil
                if Task.isCancelled { return nil }
                guard wasConnected, case .serviceUnavailable = LocationError(error) else { throw LocationError(error) }
                if wasOpen { return .connectionLost }
                // Cancelled while it waits: the loop's condition sees it.
                try? await backOff.sleep()
            }
        }
        return nil
    }
}

extension BackOff {
    /// The delays between attempts to reach the service.
    static var connecting: BackOff { BackOff(from: .milliseconds(100), to: .seconds(5)) }

    /// Waits before the next attempt.
    mutating func sleep() async throws { try await Task.sleep(for: next(random: .random(in: 0...1))) }
}
