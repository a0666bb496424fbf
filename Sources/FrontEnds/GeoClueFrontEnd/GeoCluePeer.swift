import LinuxPlumbing
import LocationPolicy

/// A connection to the bus whose program uses GeoClue, named by its unique name, which the bus never assigns again.
///
/// Confined to the event loop.
final class GeoCluePeer {
    /// The state of its identification.
    enum Identity {
        /// The bus and the kernel are being asked. These calls wait for the answer.
        case asked([Waiting])
        case known(PeerIdentity, WatchedProcess, GeoClueUser)
    }

    /// A call that waits for the identification of its sender.
    struct Waiting {
        let call: HeldMessage
        let body: () -> Void
    }

    /// The maximum number of client objects of one connection.
    static let mostClients = 64
    /// The maximum number of calls that wait for the identification, and of calls of `Start` that are held.
    static let mostWaiting = 64

    let name: String
    var identity = Identity.asked([])
    /// Its client objects, by number.
    var clients: [UInt64: GeoClueClient] = [:]
    /// The client object that `GetClient` returns.
    var ownClient: GeoClueClient?
    /// Its registration as an agent.
    var agent: GeoClueAgent?
    /// The pending question to the bus for its credentials.
    var question: BusConnection.Slot?
    /// Watches for the exit of its process.
    var exitWatch: DescriptorPoller.Watch?

    init(name: String) { self.name = name }

    /// Its user, once identified.
    var user: GeoClueUser? { if case .known(_, _, let user) = identity { user } else { nil } }

    /// True for xdg-desktop-portal, which opens one session for each program that it serves, all on one connection. It
    /// calls `GetClient` for each session. With one client object for all, the first session to end would stop the others.
    var isPortal: Bool {
        guard case .known(let peer, _, _) = identity else { return false }
        return peer.recognisedExecutable?.split(separator: "/").last == "xdg-desktop-portal"
    }

    /// The oldest client object that was stopped after use, apart from that of `GetClient`.
    var oldestUsed: GeoClueClient? {
        clients.values.filter { $0.object.wasUsed && $0 !== ownClient }.min { $0.object.number < $1.object.number }
    }
}
