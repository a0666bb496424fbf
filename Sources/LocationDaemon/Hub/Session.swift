import LocationInterface
import LocationPolicy
import LocationUsage
import Varlink

/// One connection of one peer: passes its calls to the hub.
final class Session: VarlinkSession, Sendable {
    /// Names the session while it lasts.
    typealias ID = UInt64

    let id: ID
    let hub: Hub
    let peer: PeerIdentity
    /// The peer's process, held so that its id stays its own.
    let process: WatchedProcess
    /// What the connections of the peer's user have held.
    let account: ByteAccount

    init(id: ID, hub: Hub, peer: PeerIdentity, process: WatchedProcess, account: ByteAccount) {
        self.id = id
        self.hub = hub
        self.peer = peer
        self.process = process
        self.account = account
    }

    func receive(_ call: ServerCall) {
        hub.assumeIsolated { hub in
            do throws(VarlinkError) {
                try hub.answer(call, session: self)
            } catch {
                call.fail(error)
            }
        }
    }

    func disconnected() {
        hub.assumeIsolated { $0.close(self) }
    }
}

extension Hub {
    /// Answers a call, now or later, or throws the error that answers it.
    fileprivate func answer(_ call: ServerCall, session: Session) throws(VarlinkError) {
        switch call.method {
        case LocationInterface.GetLocation.name: try getLocation(call, session)
        case LocationInterface.Subscribe.name: try subscribe(call, session)
        case LocationInterface.Follow.name: try follow(call, session)

        case AuthorizationInterface.GetStatus.name: call.reply(try status(of: session))
        case AuthorizationInterface.RequestWhenInUse.name: try request(.whenInUse, call, session)
        case AuthorizationInterface.RequestAlways.name: try request(.always, call, session)
        case AuthorizationInterface.RequestTemporaryFullAccuracy.name:
            let purpose = try call.parameters(as: AuthorizationInterface.RequestTemporaryFullAccuracy.Parameters.self)
            try request(.temporaryFullAccuracy(purposeKey: purpose.purposeKey), call, session)
        case AuthorizationInterface.Watch.name: try watchAuthorization(call, session)
        case AuthorizationInterface.BeginBackgroundActivity.name: try beginBackgroundActivity(call, session)

        case AgentInterface.Register.name: try registerAgent(call, session)
        case AgentInterface.Answer.name: try answerPrompt(call, session)
        case AgentInterface.ListPrompts.name: try listPrompts(call, session)

        case ManagerInterface.GetServiceStatus.name: call.reply(status(for: session.peer.userID))
        case ManagerInterface.Reload.name: try reload(call, session)
        case ManagerInterface.ListClients.name: try listClients(call, session)
        case ManagerInterface.SetAuthorization.name: try setAuthorization(call, session)
        case ManagerInterface.SetAccuracy.name: try setAccuracy(call, session)
        case ManagerInterface.SetEnabled.name: try setEnabled(call, session)
        case ManagerInterface.ListAccess.name: try listAccess(call, session)
        case ManagerInterface.Explain.name: try explain(call, session)
        default: throw .methodNotImplemented(call.method)
        }
    }
}

extension PeerIdentity {
    /// Who it is, for the log: user, process and program.
    var summary: String {
        "user \(userID), process \(processID)" + (executable.map { " (\($0))" } ?? "")
    }
}
