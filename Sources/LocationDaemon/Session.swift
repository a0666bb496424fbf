import Glibc
import LocationInterface
import LocationPolicy
import Logging
import NIOCore
import Varlink

/// What the daemon offers over Varlink: identifies whoever connects and opens a session for it.
struct LocationService: VarlinkService {
    let information = ServiceInformation(
        vendor: "locationd", product: "locationd", version: serviceVersion,
        url: "https://github.com/locationd/locationd")
    let interfaces: [InterfaceDescription]
    let hub: Hub
    /// Finds out who is at the other end; tests put other peers there.
    let identify: @Sendable (ServerConnection) throws -> PeerIdentity

    init(hub: Hub, identify: @escaping @Sendable (ServerConnection) throws -> PeerIdentity) throws {
        interfaces = try [InterfaceTexts.location, InterfaceTexts.authorization, InterfaceTexts.manager]
            .map { try InterfaceDescription($0) }
        self.hub = hub
        self.identify = identify
    }

    func accept(_ connection: ServerConnection) throws(VarlinkError) -> any VarlinkSession {
        let peer: PeerIdentity
        do {
            peer = try identify(connection)
        } catch {
            hub.logger.notice("Refused a connection: its peer could not be identified: \(error).")
            throw .permissionDenied
        }
        connection.peerDescription = peer.summary
        if let refusal = hub.assumeIsolated({ $0.openConnection(of: peer.userID) }) { throw refusal }
        return Session(hub: hub, peer: peer)
    }

    func error(for fault: ServerFault) -> VarlinkError {
        switch fault {
        case .messageTooLong(let limit):
            .locationd(LocationInterface.LimitExceeded(limit: "MessageSize", value: limit))
        case .tooManyCalls(let limit):
            .locationd(LocationInterface.LimitExceeded(limit: "PipelinedCalls", value: limit))
        case .callDropped(let method), .replyNotEncodable(let method):
            // A mistake of ours, which the server has logged.
            .methodNotImplemented(method)
        }
    }
}

/// One connection of one peer: passes its calls to the hub.
final class Session: VarlinkSession, Sendable {
    private let hub: Hub
    private let peer: PeerIdentity

    init(hub: Hub, peer: PeerIdentity) {
        self.hub = hub
        self.peer = peer
    }

    func receive(_ call: ServerCall) {
        hub.assumeIsolated { hub in
            do throws(VarlinkError) {
                try hub.answer(call, peer: peer)
            } catch {
                call.fail(error)
            }
        }
    }

    func disconnected() {
        hub.assumeIsolated { $0.closeConnection(of: peer.userID) }
    }
}

extension Hub {
    /// Answers a call, now or later, or throws the error that answers it.
    fileprivate func answer(_ call: ServerCall, peer: PeerIdentity) throws(VarlinkError) {
        switch call.method {
        case LocationInterface.GetLocation.name:
            try getLocation(call, peer: peer)
        case LocationInterface.Subscribe.name:
            try subscribe(call, peer: peer)
        case AuthorizationInterface.GetStatus.name:
            let client = try declaration(of: peer)
            let authorization = authorization(of: client, peer).authorization
            call.reply(
                AuthorizationInterface.GetStatus.Reply(
                    client: client.identifier, status: authorization.status, accuracy: authorization.accuracy))
        case ManagerInterface.GetServiceStatus.name:
            call.reply(status())
        case ManagerInterface.Reload.name:
            guard peer.userID == 0 || peer.userID == geteuid() else { throw .permissionDenied }
            call.reply(
                ManagerInterface.Reload.Reply(problems: reload().map(ManagerInterface.ConfigurationProblem.init)))
        default:
            throw .methodNotImplemented(call.method)
        }
    }
}

extension PeerIdentity {
    /// Who it is, for the log: user, process and program.
    var summary: String {
        "user \(userID), process \(processID)" + (executable.map { " (\($0))" } ?? "")
    }
}
