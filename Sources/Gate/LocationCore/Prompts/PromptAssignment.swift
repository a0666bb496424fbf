/// The state machine that assigns a user's open prompts to agents.
///
/// It has no effects: it takes events and returns actions, which the caller performs in order.
struct PromptAssignment {
    /// Identifies an agent.
    typealias AgentID = UInt64

    /// An action for the caller.
    enum Action: Equatable {
        /// Make the agent show the prompt.
        case show(Int, AgentID)
        /// Make the agent remove the prompt.
        case withdraw(Int, AgentID)
        /// Make the agent show these background activities and no others.
        case showActivities([ActivityReport], AgentID)
    }

    /// The prompts that an agent shows.
    enum Scope: Equatable {
        /// All prompts of the user.
        case everything
        /// The first prompts of installed applications, while no agent shows everything: see ``AgentScope``.
        case applications
        /// The prompts of this client, whose own program the agent is, while no other agent can show them.
        case client(String)
    }

    private struct Agent {
        let id: AgentID
        let scope: Scope
        var activities: [ActivityReport] = []
    }

    private struct OpenPrompt {
        let client: String
        /// True if it fits ``Scope/applications``.
        let isOfApplication: Bool
        /// The agent that shows it.
        var agent: AgentID?
    }

    /// In the order of their registration.
    private var agents: [Agent] = []
    private var prompts: [Int: OpenPrompt] = [:]
    private var activities: [ActivityReport] = []

    /// True without prompts, agents and activities.
    var isEmpty: Bool { agents.isEmpty && prompts.isEmpty && activities.isEmpty }
    /// The open prompts, the oldest first.
    var promptIDs: [Int] { prompts.keys.sorted() }
    /// The agent that starts the user's units: the first that shows everything.
    var launcher: AgentID? { agents.first { $0.scope == .everything }?.id }
    /// The number of full agents.
    var agentCount: Int { agents.count { $0.scope == .everything } }

    /// Opens a prompt about a client.
    mutating func open(_ id: Int, client: String, isOfApplication: Bool = false) -> [Action] {
        prompts[id] = OpenPrompt(client: client, isOfApplication: isOfApplication)
        return assign()
    }

    /// Closes a prompt.
    mutating func close(_ id: Int) -> [Action] {
        guard let prompt = prompts.removeValue(forKey: id), let agent = prompt.agent else { return [] }
        return [.withdraw(id, agent)]
    }

    /// Registers an agent.
    mutating func register(_ id: AgentID, _ scope: Scope = .everything) -> [Action] {
        agents.append(Agent(id: id, scope: scope))
        return assign() + showActivities()
    }

    /// Removes an agent that has disconnected. Another one takes over its prompts.
    mutating func remove(_ id: AgentID) -> [Action] {
        agents.removeAll { $0.id == id }
        for (prompt, open) in prompts where open.agent == id { prompts[prompt]?.agent = nil }
        return assign()
    }

    /// Replaces the background activities.
    mutating func setActivities(_ activities: [ActivityReport]) -> [Action] {
        self.activities = activities.sorted { ($0.client, $0.processID) < ($1.client, $1.processID) }
        return showActivities()
    }

    /// Assigns each open prompt to the most suitable agent: the first that shows everything, else the first for
    /// applications, else the client's own. A prompt moves when a more suitable agent has registered.
    private mutating func assign() -> [Action] {
        var actions: [Action] = []
        for id in prompts.keys.sorted() {
            guard let prompt = prompts[id] else { continue }
            guard
                let agent = agents.first(where: { $0.scope == .everything })
                    ?? agents.first(where: { $0.scope == .applications && prompt.isOfApplication })
                    ?? agents.first(where: { $0.scope == .client(prompt.client) }),
                agent.id != prompt.agent
            else { continue }
            if let other = prompt.agent { actions.append(.withdraw(id, other)) }
            prompts[id]?.agent = agent.id
            actions.append(.show(id, agent.id))
        }
        return actions
    }

    private mutating func showActivities() -> [Action] {
        var actions: [Action] = []
        for index in agents.indices where agents[index].scope == .everything && agents[index].activities != activities {
            agents[index].activities = activities
            actions.append(.showActivities(activities, agents[index].id))
        }
        return actions
    }
}
