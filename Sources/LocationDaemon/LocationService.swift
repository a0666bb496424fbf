import LocationInterface
import LocationPolicy
import LocationUsage
import Logging
import NIOCore
import Varlink

/// What the daemon offers over Varlink: identifies whoever connects and opens a session for it.
struct LocationService: VarlinkService {
    /// Finds out who is at the other end, and holds its process; tests put other peers there.
    typealias Identification = @Sendable (ServerConnection) -> EventLoopFuture<(PeerIdentity, WatchedProcess)>

    let information = ServiceInformation(
        vendor: "locationd", product: "locationd", version: serviceVersion,
        url: "https://github.com/locationd/locationd")
    let interfaces: [InterfaceDescription]
    private let hub: Hub
    private let identify: Identification

    init(hub: Hub, identify: @escaping Identification) throws {
        interfaces = try InterfaceTexts.all.map { try InterfaceDescription($0) }
        self.hub = hub
        self.identify = identify
    }

    func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) {
        identify(connection).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let (peer, process)): completion(accept(connection, peer, process))
            case .failure(let error):
                connection.note("Refused a connection: its peer could not be identified: \(error).")
                completion(.failure(.permissionDenied))
            }
        }
    }

    private func accept(
        _ connection: ServerConnection, _ peer: PeerIdentity, _ process: WatchedProcess
    ) -> Result<any VarlinkSession, VarlinkError> {
        connection.peerDescription = peer.summary
        switch hub.assumeIsolated({ $0.open(peer, process) }) {
        case .success(let session):
            connection.charge(session.account)
            return .success(session)
        case .failure(let refusal): return .failure(refusal)
        }
    }

    func error(for fault: ServerFault) -> VarlinkError {
        switch fault {
        case .messageTooLong(let limit):
            .locationd(LocationInterface.LimitExceeded(limit: "MessageSize", value: limit))
        case .tooManyBytes(let limit):
            .locationd(LocationInterface.LimitExceeded(limit: "BytesPerUser", value: limit))
        case .callDropped(let method), .replyNotEncodable(let method):
            // A mistake of ours, which the server has logged.
            .methodNotImplemented(method)
        }
    }
}
