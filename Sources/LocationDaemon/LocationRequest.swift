import LocationInterface
import LocationModel
import LocationPolicy
import NIOCore
import Varlink

/// One unanswered `GetLocation` call.
///
/// Lives on the hub's event loop.
final class LocationRequest {
    /// Whose it is.
    let peer: PeerIdentity
    /// When it gives up.
    var timer: Scheduled<Void>?
    private let call: ServerCall
    private let desiredAccuracy: Double
    /// The most exact location that came and was not exact enough.
    private var best: Location?

    /// A request with checked parameters of a client that may know.
    init(call: ServerCall, peer: PeerIdentity, desiredAccuracy: Double) {
        self.call = call
        self.peer = peer
        self.desiredAccuracy = desiredAccuracy
    }

    /// Answers with `location` if it is exact enough. Says whether it did.
    func offer(_ location: Location) -> Bool {
        let accuracy = location.horizontalAccuracy ?? .infinity
        guard accuracy <= desiredAccuracy else {
            if accuracy <= best?.horizontalAccuracy ?? .infinity { best = location }
            return false
        }
        call.reply(LocationInterface.GetLocation.Reply(location: location))
        return true
    }

    /// The time is up: answers with the best there was, or why there was none.
    func giveUp(reason: String) {
        if let best {
            call.reply(LocationInterface.GetLocation.Reply(location: best))
        } else {
            call.fail(.locationd(LocationInterface.LocationUnavailable(reason: reason)))
        }
    }

    /// Ends it with an error.
    func end(_ error: VarlinkError) {
        call.fail(error)
    }
}
