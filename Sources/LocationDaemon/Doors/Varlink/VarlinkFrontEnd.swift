import LocationConfiguration
import LocationInterface
import LocationPolicy
import LocationUsage
import Logging
import NIOCore
import Varlink

/// The Varlink door: identifies whoever connects, translates calls for the core, and encodes what the core delivers.
///
/// `@unchecked Sendable` because all but its constants is confined to the event loop.
final class VarlinkFrontEnd: VarlinkService, @unchecked Sendable {
    /// Finds out who is at the other end, and holds its process; tests put other peers there.
    typealias Identification = @Sendable (ServerConnection) -> EventLoopFuture<(PeerIdentity, WatchedProcess)>

    let information = ServiceInformation(
        vendor: "locationd", product: "locationd", version: serviceVersion,
        url: "https://github.com/locationd/locationd")
    let interfaces: [InterfaceDescription]
    let hub: Hub
    let encoder: VarlinkEncoder
    private let identify: Identification
    /// The user who made a connection, if that is known at once.
    private let userID: @Sendable (ServerConnection) -> UInt32?
    /// Of each user who is connected: how often, and what those connections have held.
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
        // Counted before it is known who it is, which may take a while: else a user could have any number of them.
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

    /// Counts a connection as its user's for as long as it is there, unless the user has as many as one may have.
    private func charge(_ connection: ServerConnection, to userID: UInt32) -> VarlinkError? {
        let limits = hub.core.configuration.daemon.limits
        let user = accounts[userID] ?? (0, ByteAccount(limit: limits.bytesPerUser))
        guard user.connections < limits.connectionsPerUser else {
            return VarlinkError(.limitExceeded("ConnectionsPerUser", limits.connectionsPerUser))
        }
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

    /// Uses other limits for what users have held.
    func setLimits(_ limits: DaemonConfiguration.Limits) {
        for user in accounts.values { user.account.limit = limits.bytesPerUser }
    }

    func error(for fault: ServerFault) -> VarlinkError {
        switch fault {
        case .messageTooLong(let limit): VarlinkError(.limitExceeded("MessageSize", limit))
        case .tooManyBytes(let limit): VarlinkError(.limitExceeded("BytesPerUser", limit))
        case .callDropped(let method), .replyNotEncodable(let method):
            // A mistake of ours, which the server has logged.
            .methodNotImplemented(method)
        }
    }
}

extension Door {
    /// The daemon's own socket.
    static let varlink = Door(name: "Varlink")
}

extension VarlinkError {
    /// The core's refusal in Varlink's words.
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
    /// Who it is, for the log: user, process and program.
    var summary: String {
        "user \(userID), process \(processID)" + (executable.map { " (\($0))" } ?? "")
    }
}
