package import LocationClient
import LocationInterface
package import LocationModel

// Decisions about a user's location, for the programs configured as agents, and for root. `user` is a numeric user ID;
// root may name any user's. `nil`, the default, is the caller's own.

extension LocationServiceManager {
    /// Returns the clients that are declared, or that the user has decided about.
    ///
    /// - Throws: ``LocationError/permissionDenied(message:)`` or ``LocationError/serviceUnavailable(reason:)``, as
    ///   every method here.
    package func clients(user: Int? = nil) async throws(LocationError) -> [Client] {
        try await connector.call(ManagerInterface.ListClients.self, .init(userID: user)).clients
    }

    /// Records the user's decision on a client's authorization.
    ///
    /// - Parameters:
    ///   - end: The time at which a decision to allow it ends, and the one before it counts again; `nil`, the default, for a
    ///     decision that lasts.
    ///   - untilLogout: True for a decision that ends when the user's last session does, or with a restart of the machine; in place of
    ///     `end`. Default false. Throws ``LocationError/invalidParameter(name:)`` without a session.
    /// - Returns: The authorization in force now, which a policy may reduce.
    /// - Throws: ``LocationError/refused(message:)`` if the client is unknown or restricted, or the decision cannot be
    ///   saved.
    @discardableResult
    package func setAuthorization(
        _ authorization: Decision, of client: String, until end: Timestamp? = nil, untilLogout: Bool = false,
        user: Int? = nil
    ) async throws(LocationError) -> Outcome {
        try await connector.call(
            ManagerInterface.SetAuthorization.self,
            .init(
                client: client, authorization: authorization, until: end, untilLogout: untilLogout ? true : nil,
                userID: user))
    }

    /// Records the user's decision on a client's accuracy. Returns and throws as ``setAuthorization(_:of:until:untilLogout:user:)``
    /// does.
    @discardableResult
    package func setAccuracy(
        _ accuracy: AccuracyAuthorization, of client: String, user: Int? = nil
    ) async throws(LocationError) -> Outcome {
        try await connector.call(
            ManagerInterface.SetAccuracy.self, .init(client: client, accuracy: accuracy, userID: user))
    }

    /// Puts a client on the user's quiet list, or takes it off: one that the user trusts to have the location all the time, and that
    /// therefore lights no indicator.
    ///
    /// - Throws: ``LocationError/refused(message:)`` if the client is unknown, or that cannot be saved.
    package func setQuiet(_ isQuiet: Bool, _ client: String, user: Int? = nil) async throws(LocationError) {
        _ = try await connector.call(
            ManagerInterface.SetQuiet.self, .init(client: client, isQuiet: isQuiet, userID: user))
    }

    /// Turns location services on or off, for the user or, with `forSystem`, for everybody.
    package func setEnabled(
        _ isEnabled: Bool, forSystem: Bool = false, user: Int? = nil
    ) async throws(LocationError) {
        _ = try await connector.call(
            ManagerInterface.SetEnabled.self,
            .init(isEnabled: isEnabled, isSystem: forSystem ? true : nil, userID: user))
    }

    /// Returns the accesses to the user's location, newest first.
    ///
    /// - Parameters:
    ///   - client: Only the accesses of this client; `nil` for all.
    ///   - since: Only accesses after this time; `nil` for all that are kept.
    ///   - gap: Accesses of one client that are at most this many seconds apart become one, 1 to 86,400; `nil`, the default, for
    ///     none that do.
    ///   - limit: The greatest number of accesses; `nil` for the service's own limit.
    package func history(
        client: String? = nil, since: Timestamp? = nil, joining gap: Int? = nil, limit: Int? = nil, user: Int? = nil
    ) async throws(LocationError) -> [Access] {
        try await connector.call(
            ManagerInterface.ListAccess.self,
            .init(client: client, since: since, joining: gap, limit: limit, userID: user)
        ).sessions
    }

    /// Returns the clients that are given the user's location at this moment, by identifier.
    package func currentAccesses(user: Int? = nil) async throws(LocationError) -> [CurrentAccess] {
        try await connector.call(ManagerInterface.ListCurrentAccesses.self, .init(userID: user)).accesses
    }

    /// Returns a stream of the parts of the user's decisions, history and state that have changed, at first all of them. It ends with
    /// the connection.
    ///
    /// - Parameter parts: The parts to watch; `nil`, the default, for all.
    package func changes(
        of parts: [Part]? = nil, user: Int? = nil
    ) async throws(LocationError) -> some AsyncSequence<Set<Part>, LocationError> & Sendable {
        LocationErrorStream(
            base: try await connector.stream(ManagerInterface.Watch.self, .init(parts: parts, userID: user)).map {
                Set($0.changed)
            })
    }

    /// Returns the authorization of a client for the user, with all reasons.
    ///
    /// - Parameter client: Its identifier, or the path of a program that its declaration names.
    package func explain(
        client: String, user: Int? = nil
    ) async throws(LocationError) -> Explanation {
        try await connector.call(ManagerInterface.Explain.self, .init(client: client, userID: user))
    }

    /// Returns the authorization of a running process, with all reasons.
    package func explain(process: Int) async throws(LocationError) -> Explanation {
        try await connector.call(ManagerInterface.Explain.self, .init(processID: process))
    }
}

// Rules and places.

extension LocationServiceManager {
    /// Returns the rules that may limit programs in using the user's location: those of the user, the machine and declarations.
    ///
    /// - Parameter client: Only those that may limit this client; `nil` for all.
    package func rules(client: String? = nil, user: Int? = nil) async throws(LocationError) -> [Rule] {
        try await connector.call(ManagerInterface.ListRules.self, .init(client: client, userID: user)).rules
    }

    /// Adds a rule of the user, which takes effect at once. A rule only takes away.
    ///
    /// - Returns: The rule with its identifier.
    /// - Throws: ``LocationError/refused(message:)`` if it is invalid, names an unknown place or cannot be saved.
    package func addRule(_ rule: RuleDefinition, user: Int? = nil) async throws(LocationError) -> Rule {
        try await connector.call(ManagerInterface.AddRule.self, .init(rule: rule, userID: user)).rule
    }

    /// Removes a rule of the user.
    ///
    /// - Throws: ``LocationError/refused(message:)`` if there is none with this identifier, or it is not the user's.
    package func removeRule(_ id: String, user: Int? = nil) async throws(LocationError) {
        _ = try await connector.call(ManagerInterface.RemoveRule.self, .init(id: id, userID: user))
    }

    /// Returns the user's places, by name.
    package func places(user: Int? = nil) async throws(LocationError) -> [Place] {
        try await connector.call(ManagerInterface.ListPlaces.self, .init(userID: user)).places
    }

    /// Adds a place, which rules can name.
    ///
    /// - Parameters:
    ///   - place: The place. Its radius is 50 to 50,000 m.
    ///   - replaces: True to put it in place of one of its name. Default false.
    /// - Throws: ``LocationError/refused(message:)`` if there is one of its name, or it cannot be saved.
    package func addPlace(_ place: Place, replaces: Bool = false, user: Int? = nil) async throws(LocationError) {
        _ = try await connector.call(
            ManagerInterface.AddPlace.self, .init(place: place, replaces: replaces ? true : nil, userID: user))
    }

    /// Removes a place.
    ///
    /// - Throws: ``LocationError/refused(message:)`` if there is none of this name, or one of the user's rules names it.
    package func removePlace(_ name: String, user: Int? = nil) async throws(LocationError) {
        _ = try await connector.call(ManagerInterface.RemovePlace.self, .init(name: name, userID: user))
    }
}

// Prompts.

extension LocationServiceManager {
    /// Registers as an agent of the user, and returns a stream of the prompts and activities to show. The registration
    /// lasts as long as the stream.
    ///
    /// - Parameter isFallback: True to receive only the prompts of this program's own client, and only while there is
    ///   no other agent. Default false.
    package func agentEvents(
        isFallback: Bool = false
    ) async throws(LocationError) -> some AsyncSequence<AgentEvent, LocationError> & Sendable {
        let events = try await connector.stream(
            AgentInterface.Register.self, .init(isFallback: isFallback ? true : nil))
        return LocationErrorStream(
            base: events.map {
                var event = $0
                event.prompt = event.prompt?.answerable
                return event
            })
    }

    /// Answers a prompt. The decision is saved when this returns.
    ///
    /// - Throws: ``LocationError/refused(message:)`` if the prompt is closed or does not offer the choice.
    package func answer(_ id: Int, _ choice: PromptChoice) async throws(LocationError) {
        _ = try await connector.call(AgentInterface.Answer.self, .init(id: id, choice: choice))
    }

    /// Returns the open prompts of the user.
    package func prompts() async throws(LocationError) -> [Prompt] {
        try await connector.call(AgentInterface.ListPrompts.self, Nothing()).prompts.map(\.answerable)
    }
}
