public import LocationInterface
public import LocationModel

// Who may know where a user is, for the programs that the service lists as agents, and for root. `user` chooses another
// user than the caller's, for root.

extension LocationServiceManager {
    /// The clients that are declared, or that the user has decided about.
    public func clients(user: Int? = nil) async throws(LocationError) -> [Client] {
        try await connector.call(ManagerInterface.ListClients.self, .init(userID: user)).clients
    }

    /// Decides for the user whether a client may know.
    ///
    /// - Returns: What holds now, which a policy may make less than what was decided.
    @discardableResult
    public func setAuthorization(
        _ authorization: Decision, of client: String, user: Int? = nil
    ) async throws(LocationError) -> Outcome {
        try await connector.call(
            ManagerInterface.SetAuthorization.self, .init(client: client, authorization: authorization, userID: user))
    }

    /// Decides for the user how exactly a client may know. Returns what holds now.
    @discardableResult
    public func setAccuracy(
        _ accuracy: AccuracyAuthorization, of client: String, user: Int? = nil
    ) async throws(LocationError) -> Outcome {
        try await connector.call(
            ManagerInterface.SetAccuracy.self, .init(client: client, accuracy: accuracy, userID: user))
    }

    /// Switches location services on or off for the user, or for everybody.
    public func setEnabled(
        _ isEnabled: Bool, forSystem: Bool = false, user: Int? = nil
    ) async throws(LocationError) {
        _ = try await connector.call(
            ManagerInterface.SetEnabled.self,
            .init(isEnabled: isEnabled, isSystem: forSystem ? true : nil, userID: user))
    }

    /// The accesses to the user's location, the newest first.
    public func history(
        client: String? = nil, since: Timestamp? = nil, limit: Int? = nil, user: Int? = nil
    ) async throws(LocationError) -> [Access] {
        try await connector.call(
            ManagerInterface.ListAccess.self, .init(client: client, since: since, limit: limit, userID: user)
        ).sessions
    }

    /// Why a client may or may not know.
    public func explain(
        client: String, user: Int? = nil
    ) async throws(LocationError) -> Explanation {
        try await connector.call(ManagerInterface.Explain.self, .init(client: client, userID: user))
    }

    /// Why a running process may or may not know.
    public func explain(process: Int) async throws(LocationError) -> Explanation {
        try await connector.call(ManagerInterface.Explain.self, .init(processID: process))
    }
}

// Asking the user.

extension LocationServiceManager {
    /// Registers as an agent of the user: what is to be shown comes as it opens and goes.
    ///
    /// - Parameter isFallback: Only the prompts of this program's own client, while there is no other agent.
    public func agentEvents(
        isFallback: Bool = false
    ) async throws(LocationError) -> some AsyncSequence<AgentEvent, any Error> & Sendable {
        try await connector.stream(AgentInterface.Register.self, .init(isFallback: isFallback ? true : nil))
    }

    /// Answers a prompt. The decision is kept when this returns.
    public func answer(_ id: Int, _ choice: PromptChoice) async throws(LocationError) {
        _ = try await connector.call(AgentInterface.Answer.self, .init(id: id, choice: choice))
    }

    /// The prompts that are open.
    public func prompts() async throws(LocationError) -> [Prompt] {
        try await connector.call(AgentInterface.ListPrompts.self, Nothing()).prompts
    }
}
