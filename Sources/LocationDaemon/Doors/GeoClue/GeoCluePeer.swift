import GeoClue
import LocationPolicy
import LocationUsage

/// One connection to the bus whose program uses GeoClue, by its unique name, which nobody else gets while the bus lives.
///
/// Confined to the event loop.
final class GeoCluePeer {
    /// What is known of who it is.
    enum Identity {
        /// The bus and the kernel are being asked; what it called meanwhile is done then.
        case asked([Waiting])
        case known(PeerIdentity, WatchedProcess)
    }

    /// A call that waits for that.
    struct Waiting {
        let call: HeldCall
        let body: () -> Void
    }

    /// How many client objects one connection has at most.
    static let mostClients = 64
    /// How many of its calls wait for its identity.
    static let mostWaiting = 64

    let name: String
    var identity = Identity.asked([])
    /// Its client objects, by number.
    var clients: [UInt64: GeoClueClient] = [:]
    /// The one that `GetClient` gives.
    var ownClient: GeoClueClient?
    /// Watches for its end.
    var watch: BusConnection.Slot?
    /// Asks the bus who it is.
    var question: BusConnection.Slot?

    init(name: String) { self.name = name }

    /// The user whose it is, once that is known.
    var userID: UInt32? { if case .known(let peer, _) = identity { peer.userID } else { nil } }

    /// Whether it speaks for many programs, each with a session of its own, over one connection: xdg-desktop-portal. It asks
    /// for a client object for each session, and would get the same one, which the first session to end stops for all.
    var isPortal: Bool {
        guard case .known(let peer, _) = identity else { return false }
        return peer.recognisedExecutable?.split(separator: "/").last == "xdg-desktop-portal"
    }
}
