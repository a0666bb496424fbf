import LocationInterface
import LocationModel
import Synchronization
import TestSupport
import Varlink

/// A location service in which every text that comes from elsewhere is the worst there is: what `locationctl` shows of it
/// has to be harmless whatever the service let pass.
final class HostileService: Sendable {
    private let text: String
    /// The answers that came to the prompt. The first is answered with an error.
    private let answers = Mutex(0)

    private init(_ text: String) { self.text = text }

    /// Runs a test with a service all of whose texts are `text`. The test is given the socket.
    static func run(_ text: String, test: (String) async throws -> Void) async throws {
        try await ScriptedService.run(HostileService(text).answer) { socket, _ in try await test(socket) }
    }

    private func answer(_ call: ServerCall) {
        switch call.method {
        case ManagerInterface.ListClients.name: call.reply(ManagerInterface.ListClients.Reply(clients: [client]))
        case ManagerInterface.ListAccess.name:
            let time = Timestamp(nanosecondsSince1970: 0)
            call.reply(
                ManagerInterface.ListAccess.Reply(sessions: [
                    .init(
                        client: text, userID: 1, from: time, to: time, count: 1, accuracy: .full, finestAccuracy: nil)
                ]))
        case ManagerInterface.Explain.name:
            let step = ManagerInterface.Step(rule: text, found: text, file: text, keyPath: text, isDecisive: true)
            call.reply(
                ManagerInterface.Explain.Reply(client: text, status: .denied, accuracy: .full, steps: [step, step]))
        case ManagerInterface.SetAuthorization.name:
            call.reply(
                ManagerInterface.SetAuthorization.Reply(
                    status: .denied, accuracy: .full, limits: [.init(reason: .maximumAuthorization, file: text)]))
        case ManagerInterface.GetServiceStatus.name: call.reply(status)
        case ManagerInterface.Reload.name: call.reply(ManagerInterface.Reload.Reply(problems: [problem]))
        case AuthorizationInterface.GetStatus.name:
            call.reply(AuthorizationInterface.GetStatus.Reply(client: text, status: .denied, accuracy: .full))
        case AgentInterface.ListPrompts.name: call.reply(AgentInterface.ListPrompts.Reply(prompts: [prompt]))
        case AgentInterface.Register.name:
            let activity = AgentInterface.Activity(client: text, displayName: text, processID: 1)
            call.reply(AgentInterface.Register.Reply(activities: [activity]), continues: true)
            call.reply(AgentInterface.Register.Reply(prompt: prompt), continues: true)
        case AgentInterface.Answer.name: takeAnswer(call)
        default:
            let error = AuthorizationInterface.ClientNotDeclared(message: text)
            call.fail(VarlinkError(name: AuthorizationInterface.ClientNotDeclared.name, parameters: error))
        }
    }

    private func takeAnswer(_ call: ServerCall) {
        let count = answers.withLock { count in
            count += 1
            return count
        }
        guard count == 1 else { return call.reply() }
        let error = ManagerInterface.NotSaved(isInForce: false, message: text)
        call.fail(VarlinkError(name: ManagerInterface.NotSaved.name, parameters: error))
    }

    private var prompt: AgentInterface.Prompt {
        var prompt = AgentInterface.Prompt(
            id: 7, kind: .whenInUse, client: text, displayName: text, processID: 1, userID: 0, usageDescription: text,
            choices: [.allowWhileUsing, .allowOnce, .dontAllow])
        prompt.executable = text
        prompt.unit = text
        prompt.session = text
        // Short, because a prompt that is larger than what may be unread ends the connection.
        prompt.recipients = [String(text.prefix(200)), String(text.suffix(200))]
        return prompt
    }

    private var client: ManagerInterface.Client {
        ManagerInterface.Client(
            client: text, displayName: text, file: text, userID: 1, status: .denied, accuracy: .full,
            isConnected: false, isInUse: false, recipients: [text, text])
    }

    private var problem: ManagerInterface.ConfigurationProblem {
        .init(file: text, line: 1, keyPath: text, message: text)
    }

    private var status: ManagerInterface.GetServiceStatus.Reply {
        var receiver = ManagerInterface.Receiver(device: text, isCurrent: true, mode: .fix3D)
        receiver.driver = text
        receiver.doubts = [.init(sign: .jamming, message: text, age: 1)]
        let source = ManagerInterface.Source(
            kind: .receiver, name: text, state: .connected, isCurrent: true, version: text, problem: text,
            receivers: [receiver], counters: [text: 1])
        return .init(
            version: text, sources: [source], isLocationAvailable: true, isEnabled: true, isEnabledForUser: true,
            hasAgent: false, connections: 1, subscriptions: 1, clients: 1, problems: [problem])
    }
}
