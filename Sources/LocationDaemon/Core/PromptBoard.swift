import LocationInterface
import LocationPolicy

/// The open prompts of one user and the agents that show them: who shows what.
///
/// A state machine without effects. It is told what happened and returns what is to be sent to whom, in this order.
struct PromptBoard {
    /// Names an agent.
    typealias AgentID = UInt64

    /// What is to be done.
    enum Action: Equatable {
        /// The agent shows the prompt.
        case show(Int, AgentID)
        /// The agent takes the prompt away.
        case withdraw(Int, AgentID)
        /// The agent shows these background activities and no others.
        case showActivities([AgentInterface.Activity], AgentID)
    }

    /// What an agent shows.
    enum Scope: Equatable {
        /// Everything.
        case everything
        /// The prompts that a desktop's own dialog has a form for, while no agent shows everything: see ``AgentScope``.
        case applications
        /// The prompts of this client, whose program it is, while there is no other agent.
        case client(String)
    }

    private struct Agent {
        let id: AgentID
        let scope: Scope
        var activities: [AgentInterface.Activity] = []
    }

    private struct OpenPrompt {
        let client: String
        /// Whether it fits ``Scope/applications``.
        let isOfApplication: Bool
        /// The agent that shows it.
        var agent: AgentID?
    }

    /// In the order in which they registered.
    private var agents: [Agent] = []
    private var prompts: [Int: OpenPrompt] = [:]
    private var activities: [AgentInterface.Activity] = []

    /// Whether nothing is open and nobody is there.
    var isEmpty: Bool { agents.isEmpty && prompts.isEmpty && activities.isEmpty }
    /// The open prompts, the first one first.
    var promptIDs: [Int] { prompts.keys.sorted() }
    /// How many agents show everything.
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

    /// Forgets an agent that has gone. Another takes over what it showed.
    mutating func remove(_ id: AgentID) -> [Action] {
        agents.removeAll { $0.id == id }
        for (prompt, open) in prompts where open.agent == id { prompts[prompt]?.agent = nil }
        return assign()
    }

    /// These background activities go on, and no others.
    mutating func setActivities(_ activities: [AgentInterface.Activity]) -> [Action] {
        self.activities = activities.sorted { ($0.client, $0.processID) < ($1.client, $1.processID) }
        return showActivities()
    }

    /// Gives each open prompt to the first agent that can show it, unless that one shows it already.
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
