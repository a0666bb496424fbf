import LocationConfiguration
import LocationInterface
import LocationPolicy
import LocationUsage
import Logging
import NIOCore
import Varlink

/// The Varlink door: identifies peers, translates their calls for the core, and encodes the core's deliveries.
///
/// `@unchecked Sendable` because everything but its constants is confined to the event loop.
final class VarlinkFrontEnd: VarlinkService, @unchecked Sendable {
    /// Identifies the peer of a connection and its process. Tests substitute other peers.
    typealias Identification = @Sendable (ServerConnection) -> EventLoopFuture<(PeerIdentity, WatchedProcess)>

    let information = ServiceInformation(
        vendor: "locationd", product: "locationd", version: serviceVersion,
        url: "https://github.com/locationd/locationd")
    let interfaces: [InterfaceDescription]
    let hub: Hub
    let encoder: VarlinkEncoder
    private let identify: Identification
    /// The user of a connection's peer, if it is known before the peer is identified.
    private let userID: @Sendable (ServerConnection) -> UInt32?
    /// The number of connections of each connected user, and the memory that they hold.
    private var accounts: [UInt32: (connections: Int, account: ByteAccount)] = [:]

    init(
        hub: Hub, userID: @escaping @Sendable (ServerConnection) -> UInt32? = { _ in nil },
        identify: @escaping Identification
    ) throws {
        interfaces = try InterfaceTexts.all.map { try InterfaceDescription($0) }
        self.hub = hub
        self.identify = identify
        self.userID = userID
        encoder = VarlinkEncoder(logger: hub.logger)
    }

    func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) {
        // Count the connection before its peer is identified, which may take seconds: otherwise a user could open any
        // number meanwhile. The core counts identified connections, through all doors.
        let userID = userID(connection)
        if let userID, let refusal = charge(connection, to: userID) { return completion(.failure(refusal)) }
        identify(connection).hop(to: hub.eventLoop).assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success((let peer, let process)):
                if userID == nil, let refusal = charge(connection, to: peer.userID) {
                    return completion(.failure(refusal))
                }
                completion(open(peer, process, on: connection))
            case .failure(let error):
                connection.note("Refused a connection: its peer could not be identified: \(error).")
                completion(.failure(.permissionDenied))
            }
        }
    }

    /// Counts a connection for its user until it is closed. Returns the error if the user has reached the limit.
    private func charge(_ connection: ServerConnection, to userID: UInt32) -> VarlinkError? {
        let limits = hub.core.configuration.daemon.limits
        let user = accounts[userID] ?? (0, ByteAccount(limit: limits.bytesPerUser))
        let limit = hub.core.connectionLimit(of: userID)
        guard user.connections < limit else { return VarlinkError(.limitExceeded("ConnectionsPerUser", limit)) }
        accounts[userID] = (user.connections + 1, user.account)
        connection.charge(user.account)
        connection.channel.closeFuture.hop(to: hub.eventLoop).assumeIsolated().whenComplete { [self] _ in
            guard let user = accounts[userID] else { return }
            accounts[userID] = user.connections > 1 ? (user.connections - 1, user.account) : nil
        }
        return nil
    }

    private func open(
        _ peer: PeerIdentity, _ process: WatchedProcess, on connection: ServerConnection
    ) -> Result<any VarlinkSession, VarlinkError> {
        connection.peerDescription = peer.summary
        do throws(Refusal) {
            return .success(Session(frontEnd: self, connection: try hub.core.open(peer, process, door: .varlink)))
        } catch {
            return .failure(VarlinkError(error))
        }
    }

    /// Applies other limits to the memory that the connections of a user hold.
    func setLimits(_ limits: DaemonConfiguration.Limits) {
        for user in accounts.values { user.account.limit = limits.bytesPerUser }
    }

    func error(for fault: ServerFault) -> VarlinkError {
        switch fault {
        case .messageTooLong(let limit): VarlinkError(.limitExceeded("MessageSize", limit))
        case .tooManyBytes(let limit): VarlinkError(.limitExceeded("BytesPerUser", limit))
        case .callDropped(let method), .replyNotEncodable(let method):
            // A programming error of the service, which the server has logged.
            .methodNotImplemented(method)
        }
    }
}

extension Door {
    /// The daemon's own socket.
    static let varlink = Door(name: "Varlink")
}

extension VarlinkError {
    /// The Varlink error for the core's refusal.
    init(_ refusal: Refusal) {
        switch refusal {
        case .error(let error): self = Self.error(error)
        case .invalidParameter(let name): self = .invalidParameter(name)
        case .permissionDenied: self = .permissionDenied
        }
    }

    private static func error<E: InterfaceError>(_ error: E) -> VarlinkError {
        VarlinkError(name: E.name, parameters: error)
    }
}

extension PeerIdentity {
    /// User, process and program as text for the log.
    var summary: String {
        "user \(userID), process \(processID)" + (executable.map { " (\($0))" } ?? "")
    }
}
