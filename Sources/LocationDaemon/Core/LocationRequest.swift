import LocationModel
import LocationPolicy
import NIOCore

/// One request for a single location that waits for an answer.
///
/// Confined to the event loop.
final class LocationRequest: Recipient {
    let connection: Connection
    let client: Client
    /// How long to wait for a fix.
    let timeout: TimeAmount
    /// When it gives up.
    var timer: Scheduled<Void>?
    /// The request for authorization that it waits for.
    var asking: ClientAuthorization.RequestID?
    /// Whether it has been answered.
    private(set) var isEnded = false
    private let subscriber: any Subscriber
    private let desiredAccuracy: Double
    /// The fresh locations that were not exact enough. Each is more exact than those after it, so the list is short.
    private var candidates: [Publication] = []

    /// A request with checked parameters.
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
    var evaluation: AccessEvaluation { client.evaluation(isInUse: connection.process.isInUse) }

    /// Whether a location is as exact as was asked for.
    func isExactEnough(_ location: Location) -> Bool { (location.horizontalAccuracy ?? .infinity) <= desiredAccuracy }

    /// Keeps a location for the end of the time, instead of those before that are no more exact and of those that are no
    /// longer fresh.
    func keep(_ publication: Publication, isFresh: (Publication) -> Bool) {
        let accuracy = publication.accuracy
        candidates.removeAll { $0.accuracy >= accuracy || !isFresh($0) }
        candidates.append(publication)
    }

    /// The most exact of the kept locations that are still fresh.
    func best(isFresh: (Publication) -> Bool) -> Publication? {
        candidates.filter(isFresh).min { $0.accuracy < $1.accuracy }
    }

    /// Answers with what passed the gate.
    func answer(_ disclosure: Disclosure) {
        isEnded = true
        subscriber.deliver(disclosure, skipped: nil)
    }

    /// Ends it with the last word.
    func end(_ refusal: Refusal) {
        isEnded = true
        subscriber.end(refusal)
    }
}

extension Publication {
    fileprivate var accuracy: Double { location.horizontalAccuracy ?? .infinity }
}
