package import LinuxPlumbing
package import PeerIdentification
package import LocationCore
package import LocationConfiguration
import LocationInterface
package import LocationPolicy
package import NIOCore
package import Varlink
package import VarlinkIDL

/// The Varlink front end: identifies peers, translates their calls for the core, and encodes the core's deliveries.
///
/// `@unchecked Sendable` because everything but its constants is confined to the event loop.
package final class VarlinkFrontEnd: VarlinkService, FrontEnd, @unchecked Sendable {
    /// Identifies the peer of a connection and its process. Tests substitute other peers.
    package typealias Identification = @Sendable (ServerConnection) -> EventLoopFuture<(PeerIdentity, WatchedProcess)>

    package let information = ServiceInformation(
        vendor: "locationd", product: "locationd", version: serviceVersion,
        url: "https://github.com/locationd/locationd")
    package let interfaces: [InterfaceDescription]
    let core: Core
    let identifier: PeerIdentifier
    let locations, frames, answers: VarlinkEncoder
    private let identify: Identification
    /// The user of a connection's peer, if it is known before the peer is identified.
    private let userID: @Sendable (ServerConnection) -> UInt32?
    /// The connections of a user: their number, and the memory that they hold.
    private struct Account {
        var connections = 0
        let programs, agents: ByteAccount

        init(limit: Int) { (programs, agents) = (ByteAccount(limit: limit), ByteAccount(limit: limit)) }
    }
    /// The accounts of the connected users.
    private var accounts: [UInt32: Account] = [:]

    /// The server, whose limits follow the configuration. Set before the front end is added to the core.
    package var server: VarlinkServer?

    /// - Parameters:
    ///   - userID: the user of a connection's peer; only tests replace it.
    ///   - identify: identifies the peer of a connection; `nil` for the identification by the kernel's word. Only tests
    ///     replace it.
    package init(
        core: Core, identifier: PeerIdentifier,
        userID: @escaping @Sendable (ServerConnection) -> UInt32? = { PeerIdentifier.userID(of: $0) },
        identify: Identification? = nil
    ) throws {
        interfaces = try [
            LocationInterface.text, AuthorizationInterface.text, AgentInterface.text, ManagerInterface.text,
            MonitorInterface.text,
        ].map { try InterfaceDescription($0) }
        self.core = core
        self.identifier = identifier
        self.identify = identify ?? { identifier.identify($0) }
        self.userID = userID
        locations = VarlinkEncoder(.locations, logger: core.logger)
        frames = VarlinkEncoder(.frames, logger: core.logger)
        answers = VarlinkEncoder(.answer, logger: core.logger)
    }

    package func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) {
        // Count the connection before its peer is identified, which may take seconds: otherwise a user could open any
        // number meanwhile.
        let userID = userID(connection)
        if let userID, let refusal = charge(connection, to: userID) { return completion(.failure(refusal)) }
        identify(connection).hop(to: core.eventLoop).assumeIsolated().whenComplete { [self] result in
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
        do throws(Refusal) {
            try core.reserveConnection(of: userID, through: .varlink)
        } catch {
            return VarlinkError(error)
        }
        let account = accounts[userID] ?? Account(limit: core.configuration.daemon.limits.bytesPerUser)
        accounts[userID] = account
        accounts[userID]?.connections += 1
        connection.charge(account.programs)
        connection.channel.closeFuture.hop(to: core.eventLoop).assumeIsolated().whenComplete { [self] _ in
            core.releaseConnection(of: userID, through: .varlink)
            accounts[userID]?.connections -= 1
            if accounts[userID]?.connections == 0 { accounts[userID] = nil }
        }
        return nil
    }

    private func open(
        _ peer: PeerIdentity, _ process: WatchedProcess, on connection: ServerConnection
    ) -> Result<any VarlinkSession, VarlinkError> {
        connection.peerDescription = peer.summary
        do throws(Refusal) {
            let opened = try core.open(peer, process, frontEnd: .varlink, isReserved: true)
            // Programs cannot fill the memory in which their user decides about them.
            if core.isTrusted(opened.peer), let account = accounts[peer.userID] { connection.charge(account.agents) }
            return .success(Session(frontEnd: self, connection: opened))
        } catch {
            return .failure(VarlinkError(error))
        }
    }

    /// The error that ends streams and waiting calls when the service stops.
    package static var stopping: VarlinkError { VarlinkError.error(LocationInterface.ServiceStopping()) }

    package var status: FrontEndStatus? { nil }

    package var isUnused: Bool { server?.isUnused ?? false }

    /// Applies the limits, of which open connections keep theirs except for the memory that those of a user hold.
    package func apply(_ configuration: Configuration) {
        identifier.namedExecutables = configuration.namedExecutables
        let limits = configuration.daemon.limits
        server?.limits = ServerLimits(limits)
        for account in accounts.values {
            for bytes in [account.programs, account.agents] { bytes.limit = limits.bytesPerUser }
        }
    }

    /// Stops listening if nobody is connected. Otherwise the server ends when its own shutdown has.
    package func close() {
        _ = server?.shutdownIfUnused()
        server = nil
    }

    package func error(for fault: ServerFault) -> VarlinkError {
        switch fault {
        case .messageTooLong(let limit): VarlinkError(.limitExceeded("MessageSize", limit))
        case .tooManyBytes(let limit): VarlinkError(.limitExceeded("BytesPerUser", limit))
        case .callDropped(let method), .replyNotEncodable(let method):
            // A programming error of the service, which the server has logged.
            .methodNotImplemented(method)
        }
    }
}

extension ServerLimits {
    package init(_ configured: DaemonConfiguration.Limits) {
        self.init()
        messageSize = configured.messageSize
    }
}

extension FrontEndKind {
    /// The daemon's own socket.
    package static let varlink = FrontEndKind(name: "Varlink", servesAgents: true)
}

extension PeerIdentity {
    /// User, process and program as text for the log.
    var summary: String {
        "user \(userID), process \(processID)" + (executable.map { " (\($0))" } ?? "")
    }
}
