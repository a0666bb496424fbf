import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import NIOCore
import Varlink

// Asking the user: agents show prompts and answer them.

/// A program of the user that shows prompts: one open `Register` call. Sendable: it lives on the hub's event loop.
final class Agent: @unchecked Sendable {
    let call: ServerCall
    let session: Session
    /// The only client whose prompts it shows, while there is no other agent; `nil` shows everything.
    let fallbackFor: ClientKey?
    /// The prompts it shows.
    var shown: Set<Int> = []
    /// The activities in the background that it shows.
    var activities: [AgentInterface.Activity] = []

    init(call: ServerCall, session: Session, fallbackFor: ClientKey?) {
        self.call = call
        self.session = session
        self.fallbackFor = fallbackFor
    }
}

/// A prompt that waits for an answer. Sendable: it lives on the hub's event loop.
final class OpenPrompt: @unchecked Sendable {
    let client: Client
    let description: AgentInterface.Prompt
    /// When the wait ends.
    var timer: Scheduled<Void>?
    /// Whether an agent has had it.
    var wasShown = false

    init(client: Client, description: AgentInterface.Prompt) {
        self.client = client
        self.description = description
    }
}

// MARK: Prompts

extension Hub {
    /// Opens a prompt about a client and has an agent show it.
    func open(_ prompt: Prompt, for client: Client) {
        let id = Int(truncatingIfNeeded: nextID())
        let asking = client.asking
        var description = AgentInterface.Prompt(
            id: id, kind: AgentInterface.Kind(prompt.kind), client: client.key.client,
            displayName: client.declaration.displayName, processID: Int(asking?.processID ?? 0),
            userID: Int(client.key.userID), usageDescription: prompt.usageDescription,
            choices: prompt.kind.choices)
        description.executable = asking?.executable
        description.unit = asking?.userUnit ?? asking?.systemdUnit
        description.session = asking?.session
        let open = OpenPrompt(client: client, description: description)
        closePrompt(of: client)
        client.prompt = open
        prompts[id] = open
        let timeout = TimeAmount.seconds(Int64(configuration.daemon.promptTimeout))
        open.timer = eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            self?.assumeIsolated { hub in
                hub.whenSettled(client) { hub in
                    guard hub.prompts[id] != nil else { return }
                    hub.apply(.unanswered, to: client)
                }
            }
        }
        assignPrompts(of: client.key.userID)
    }

    /// Takes a client's prompt away, if one is open.
    func closePrompt(of client: Client) {
        guard let open = client.prompt else { return }
        client.prompt = nil
        // Kept for the error of whoever waits: whether anybody was there to be asked.
        client.lastPromptWasShown = open.wasShown
        open.timer?.cancel()
        let id = open.description.id
        prompts[id] = nil
        for agent in agents where agent.shown.remove(id) != nil {
            agent.call.reply(AgentInterface.Register.Reply(withdrawn: id), continues: true)
        }
    }

    /// Gives each open prompt of a user to the first agent that can show it, unless one shows it already.
    private func assignPrompts(of user: UInt32) {
        for (id, prompt) in prompts.sorted(by: { $0.key < $1.key }) where prompt.client.key.userID == user {
            let candidates = agents.filter { $0.session.peer.userID == user }
            guard
                let agent = candidates.first(where: { $0.fallbackFor == nil })
                    ?? candidates.first(where: { $0.fallbackFor == prompt.client.key })
            else { continue }
            guard !agent.shown.contains(id) else { continue }
            for other in candidates where other.shown.remove(id) != nil {
                other.call.reply(AgentInterface.Register.Reply(withdrawn: id), continues: true)
            }
            agent.shown.insert(id)
            prompt.wasShown = true
            agent.call.reply(AgentInterface.Register.Reply(prompt: prompt.description), continues: true)
        }
    }
}

// MARK: Agents

extension Hub {
    /// How many agents of one user show everything. Each hears of each change.
    private static let agentsPerUser = 16

    /// Whether a program may answer for its user: it is listed and not confined, or it is root's.
    func isTrusted(_ peer: PeerIdentity) -> Bool {
        if peer.userID == 0 { return true }
        guard let executable = peer.recognisedExecutable, sandbox(of: peer) == nil else { return false }
        return configuration.daemon.agents.contains { $0.utf8.elementsEqual(executable.utf8) }
    }

    /// What confines a program that would decide, if anything does: a client must not decide about itself by running a
    /// listed program within its own sandbox.
    private func sandbox(of peer: PeerIdentity) -> String? {
        if let application = peer.flatpakID { return "the sandbox of \(application)" }
        guard let label = peer.securityLabel,
            let client = registry.declarations.values.first(where: {
                $0.match.securityLabel?.utf8.elementsEqual(label.utf8) == true
            })
        else { return nil }
        return "the sandbox of \(client.identifier)"
    }

    private func requireAgent(_ session: Session) throws(VarlinkError) {
        guard isTrusted(session.peer) else {
            throw .locationd(AgentInterface.NotAnAgent(message: notListed(session.peer)))
        }
    }

    /// Why a program may neither answer nor decide.
    func notListed(_ peer: PeerIdentity) -> String {
        let program = peer.executable ?? "Process \(peer.processID), whose program could not be identified,"
        if let sandbox = sandbox(of: peer) {
            return "\(program) runs in \(sandbox), and what is confined may not decide for its user."
        }
        return "\(program) is not among Agents in the service's property list, which name the programs that may "
            + "decide for their user."
    }

    /// Opens an agent's stream.
    func registerAgent(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        try call.requireMore()
        try requireAgent(session)
        let parameters = try call.parameters(as: AgentInterface.Register.Parameters.self)
        let isFallback = parameters.isFallback ?? false
        let registered = agents.count { $0.session.peer.userID == session.peer.userID && $0.fallbackFor == nil }
        guard isFallback || registered < Self.agentsPerUser else {
            throw .locationd(LocationInterface.LimitExceeded(limit: "AgentsPerUser", value: Self.agentsPerUser))
        }
        let agent = Agent(
            call: call, session: session, fallbackFor: isFallback ? try client(of: session).key : nil)
        agents.append(agent)
        call.onCancel = { [weak self] in
            self?.assumeIsolated { hub in
                hub.agents.removeAll { $0 === agent }
                // Another takes over what it showed.
                hub.assignPrompts(of: session.peer.userID)
                hub.showActivities(of: session.peer.userID)
            }
        }
        if !isFallback {
            // Says that it is registered, even while nothing goes on.
            call.reply(AgentInterface.Register.Reply(activities: []), continues: true)
        }
        assignPrompts(of: session.peer.userID)
        showActivities(of: session.peer.userID)
    }

    /// Has the agents of a user show what goes on in the background. False when there is none.
    func showToAgents(_ activities: [AgentInterface.Activity], of user: UInt32) -> Bool {
        let showing = agents.filter { $0.session.peer.userID == user && $0.fallbackFor == nil }
        let sorted = activities.sorted { ($0.client, $0.processID) < ($1.client, $1.processID) }
        let behind = showing.filter { $0.activities != sorted }
        if !behind.isEmpty, let encoded = encode(AgentInterface.Register.Reply(activities: sorted)) {
            for agent in behind {
                agent.activities = sorted
                agent.call.reply(encoded)
            }
        }
        return !showing.isEmpty
    }

    /// Takes the answer to a prompt.
    func answerPrompt(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        try requireAgent(session)
        let parameters = try call.parameters(as: AgentInterface.Answer.Parameters.self)
        let peer = session.peer
        let noSuchPrompt = VarlinkError.locationd(AgentInterface.NoSuchPrompt(id: parameters.id))
        guard let prompt = prompts[parameters.id], peer.userID == 0 || prompt.client.key.userID == peer.userID else {
            throw noSuchPrompt
        }
        guard prompt.description.choices.contains(parameters.choice) else {
            throw .locationd(AgentInterface.ChoiceNotOffered(choices: prompt.description.choices))
        }
        let origin = DecisionOrigin(userID: peer.userID, manner: .prompt, timestamp: decisions.now())
        whenSettled(prompt.client) { hub in
            // Another answer may have been saved meanwhile, and another prompt be open: this is no answer to that.
            guard hub.prompts[parameters.id] === prompt else { return call.fail(noSuchPrompt) }
            hub.apply(.answer(parameters.choice), to: prompt.client, by: origin) { unsaved in
                if let unsaved { call.fail(.notSaved(unsaved)) } else { call.reply() }
            }
        }
    }

    /// Lists the prompts that a caller could answer.
    func listPrompts(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        try requireAgent(session)
        let user = session.peer.userID
        let open = prompts.values.filter { user == 0 || $0.client.key.userID == user }.map(\.description)
        call.reply(AgentInterface.ListPrompts.Reply(prompts: open.sorted { $0.id < $1.id }))
    }
}

// MARK: Words

extension AgentInterface.Kind {
    init(_ kind: Prompt.Kind) {
        self =
            switch kind {
            case .whenInUse: .whenInUse
            case .always: .always
            case .upgrade: .upgrade
            case .confirmAlways: .confirmAlways
            case .temporaryFullAccuracy: .temporaryFullAccuracy
            }
    }
}
