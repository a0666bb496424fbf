import LocationInterface
import LocationModel
import NIOCore
import Varlink

/// One unanswered `GetLocation` call.
///
/// Sendable: it lives on the hub's event loop, which every way to it checks.
final class LocationRequest: @unchecked Sendable {
    let call: ServerCall
    let session: Session
    let client: Client
    /// How long to wait for a fix.
    let timeout: TimeAmount
    /// When it gives up.
    var timer: Scheduled<Void>?
    /// Whether it has been answered with an error.
    private(set) var isEnded = false
    private let desiredAccuracy: Double
    /// The most exact location that came and was not exact enough.
    private var best: Location?

    /// A request with checked parameters.
    init(call: ServerCall, session: Session, client: Client, desiredAccuracy: Double, timeout: TimeAmount) {
        self.call = call
        self.session = session
        self.client = client
        self.desiredAccuracy = desiredAccuracy
        self.timeout = timeout
    }

    /// Answers with `location` if it is exact enough, or if there will be none more exact; `encoded` is that answer, where
    /// there is one already. Says whether it did.
    func offer(_ location: Location, isFinal: Bool, encoded: @autoclosure () -> EncodedReply?) -> Bool {
        let accuracy = location.horizontalAccuracy ?? .infinity
        guard isFinal || accuracy <= desiredAccuracy else {
            if accuracy <= best?.horizontalAccuracy ?? .infinity { best = location }
            return false
        }
        if let encoded = encoded() {
            call.reply(encoded)
        } else {
            call.reply(LocationInterface.GetLocation.Reply(location: location))
        }
        return true
    }

    /// The time is up: answers with the best there was, or why there was none. Says which it was.
    func giveUp(reason: String) -> Location? {
        if let best {
            call.reply(LocationInterface.GetLocation.Reply(location: best))
        } else {
            end(.locationd(LocationInterface.LocationUnavailable(reason: reason)))
        }
        return best
    }

    /// Ends it with an error.
    func end(_ error: VarlinkError) {
        isEnded = true
        call.fail(error)
    }
}
