import LocationModel
import LocationPolicy
import NIOCore
import Pacing

/// A `GetLocation` request that waits for its answer.
///
/// Confined to the event loop.
package final class LocationRequest: Recipient {
    let connection: Connection
    let client: Client
    /// The time to wait for a fix.
    let timeout: TimeAmount
    /// Fires at the end of that time.
    var timer: LoopTimer?
    /// The pending request for authorization.
    var authorizationRequest: ClientAuthorization.RequestID?
    /// True after the answer.
    private(set) var isEnded = false
    private let subscriber: any Subscriber
    private let desiredAccuracy: Double

    /// A request with validated parameters.
    init(
        _ subscriber: any Subscriber, connection: Connection, client: Client, desiredAccuracy: Double,
        timeout: TimeAmount
    ) {
        self.subscriber = subscriber
        self.connection = connection
        self.client = client
        self.desiredAccuracy = desiredAccuracy
        self.timeout = timeout
    }

    var id: ObjectIdentifier { ObjectIdentifier(self) }
    func evaluation(at position: Position?) -> AccessEvaluation { client.evaluation(on: connection, at: position) }

    /// True if a location has the requested accuracy.
    func isAccurateEnough(_ location: Location) -> Bool {
        (location.horizontalAccuracy ?? .infinity) <= desiredAccuracy
    }

    /// Answers with a released position.
    func answer(_ disclosure: Disclosure) {
        isEnded = true
        subscriber.deliver(disclosure, skipped: nil)
    }

    /// Ends the request with an error.
    func end(_ refusal: Refusal) {
        isEnded = true
        subscriber.end(refusal)
    }
}
