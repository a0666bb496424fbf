import LocationPolicy
import NIOCore
import Pacing

/// An open prompt.
///
/// Confined to the event loop.
final class OpenPrompt {
    let client: Client
    let description: PromptReport
    /// Fires when the prompt times out.
    fileprivate var timer: LoopTimer?
    /// True once it has been passed to an agent.
    fileprivate(set) var wasShown = false

    fileprivate init(client: Client, description: PromptReport) {
        self.client = client
        self.description = description
    }
}

/// Shows prompts and background activities through agents: performs the actions of the users' ``PromptAssignment``s.
///
/// Confined to the event loop.
final class PromptDispatcher {
    /// The maximum number of open prompts of one user, who could not see to more of them.
    static let promptsPerUser = 8

    private var prompts: [Int: OpenPrompt] = [:]
    private var presenters: [PromptAssignment.AgentID: any PromptPresenter] = [:]
    private var lastAgent: PromptAssignment.AgentID = 0
    private let queue: CoreQueue

    init(queue: CoreQueue) { self.queue = queue }

    /// The number of open prompts.
    var count: Int { prompts.count }

    /// The reason why no prompt may be opened for a client in place of its open one; `nil` if one may be.
    func obstacle(for client: Client) -> ClientAuthorization.Failure? {
        let others = client.user.promptAssignment.promptIDs.count - (client.prompt == nil ? 0 : 1)
        if others >= Self.promptsPerUser { return .noRoomForPrompt }
        let isAllowed = !client.declaration.isStandIn || client.user.undeclaredPrompts.hasPrompt(at: .now)
        return isAllowed ? nil : .tooManyUndeclared
    }

    /// The open prompt with this id.
    func prompt(_ id: Int) -> OpenPrompt? { prompts[id] }

    /// The open prompts of a user, or with `nil` of all users, the oldest first.
    func descriptions(of user: User?) -> [PromptReport] {
        let ids = user?.promptAssignment.promptIDs ?? prompts.keys.sorted()
        return ids.compactMap { prompts[$0]?.description }
    }

    /// Opens a prompt about a client and shows it through an agent.
    func open(_ prompt: Prompt, id: Int, for client: Client, timeout: TimeAmount) {
        let requester = client.asking.requester?.peer
        if client.declaration.isStandIn { client.user.undeclaredPrompts.take(at: .now) }
        // The requests of an undeclared program may differ in what it calls itself.
        let claimed =
            client.declaration.isStandIn && prompt.kind == .whenInUse
            ? client.asking.requester?.undeclared?.whenInUseUsageDescription : nil
        let description = PromptReport(
            id: id, kind: prompt.kind, client: client.key.client, displayName: client.declaration.displayName,
            processID: requester?.processID ?? 0, userID: client.key.userID,
            usageDescription: claimed ?? prompt.usageDescription, recipients: client.declaration.recipients,
            requester: requester)
        let open = OpenPrompt(client: client, description: description)
        client.asking.open(open)
        prompts[id] = open
        queue.append(.tellManagers(.prompts, userID: client.key.userID))
        open.timer = queue.makeTimer(in: timeout) { [queue, weak open] in
            if let open { queue.append(.endUnanswered(open)) }
        }
        let isOfApplication = prompt.kind == .whenInUse && requester?.application != nil
        perform(client.user.promptAssignment.open(id, client: client.key.client, isOfApplication: isOfApplication))
    }

    /// Closes a client's open prompt.
    func close(_ client: Client) {
        guard let open = client.asking.close() else { return }
        open.timer?.cancel()
        prompts[open.description.id] = nil
        queue.append(.tellManagers(.prompts, userID: client.key.userID))
        perform(client.user.promptAssignment.close(open.description.id))
    }

    /// Registers an agent of a user. Returns its id for ``remove(_:of:)``.
    func register(
        _ presenter: any PromptPresenter, of user: User, _ scope: PromptAssignment.Scope
    ) -> PromptAssignment.AgentID {
        lastAgent += 1
        presenters[lastAgent] = presenter
        let hidden = user.promptAssignment.promptIDs.compactMap { prompts[$0] }.filter { !$0.wasShown }
        perform(user.promptAssignment.register(lastAgent, scope))
        // Their programs have the diagnostic that no agent shows the prompt.
        for prompt in hidden where prompt.wasShown { queue.append(.announceAuthorization(prompt.client)) }
        return lastAgent
    }

    /// Removes an agent that has disconnected.
    func remove(_ id: PromptAssignment.AgentID, of user: User) {
        presenters[id] = nil
        perform(user.promptAssignment.remove(id))
    }

    /// Shows these background activities through the user's agents. Returns false without an agent.
    func show(_ activities: [ActivityReport], of user: User) -> Bool {
        perform(user.promptAssignment.setActivities(activities))
        return user.promptAssignment.agentCount > 0
    }

    /// The agent that starts a user's units; `nil` without one.
    func launcher(of user: User?) -> (any PromptPresenter)? {
        user?.promptAssignment.launcher.flatMap { presenters[$0] }
    }

    private func perform(_ actions: [PromptAssignment.Action]) {
        for action in actions {
            switch action {
            case .show(let id, let agent):
                guard let prompt = prompts[id] else { continue }
                prompt.wasShown = true
                presenters[agent]?.show(prompt.description)
            case .withdraw(let id, let agent): presenters[agent]?.withdraw(id)
            case .showActivities(let activities, let agent): presenters[agent]?.show(activities)
            }
        }
    }
}
