import LocationInterface
public import LocationModel
import Varlink

/// The authorization of this program at one moment.
public struct LocationAuthorization: Hashable, Sendable {
    /// The authorization status.
    public var status: AuthorizationStatus
    /// The accuracy that the program is authorized for.
    public var accuracy: AccuracyAuthorization
    /// The reason why a request made now would fail or give a reduced location, with a sentence for people; `nil` if it
    /// would succeed.
    public var cause: LocationCause?

    /// An authorization with these members, for tests of what receives it.
    public init(status: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, cause: LocationCause? = nil) {
        (self.status, self.accuracy, self.cause) = (status, accuracy, cause)
    }

    init(_ status: AuthorizationInterface.GetStatus.Reply) {
        self.status = status.status
        accuracy = status.accuracy
        cause = status.cause
    }
}

extension LocationManager {
    /// Prompts the user to allow this program to use the location while in use, and waits for the answer. Returns at
    /// once if the user has decided before.
    ///
    /// The declaration needs `NSLocationWhenInUseUsageDescription`.
    ///
    /// If no agent is running that could show the prompt, this throws at once. While the program runs, the prompt then stays
    /// open for its time, and an agent that comes shows it: ``authorizationUpdates()`` reports the answer.
    ///
    /// - Parameter waitsForAgent: True to wait for an agent, and for the answer, for the prompt's time. Default false.
    /// - Returns: The authorization after the answer, whatever it was.
    /// - Throws: ``LocationError/missingUsageDescription(key:file:message:)``; ``LocationError/notAnswered(message:)``
    ///   if the prompt cannot be shown or was not answered in time; ``LocationError/clientNotDeclared(message:)``;
    ///   ``LocationError/serviceUnavailable(reason:)``.
    @discardableResult
    public func requestWhenInUseAuthorization(
        waitsForAgent: Bool = false
    ) async throws(LocationError) -> LocationAuthorization {
        guard !waitsForAgent || connector.standIn != nil else {
            return LocationAuthorization(
                try await connector.call(AuthorizationInterface.RequestWhenInUse.self, Nothing()))
        }
        return try await request(AuthorizationInterface.RequestWhenInUse.self, Nothing())
    }

    /// Prompts the user to allow this program to use the location at any time, and waits for the answer.
    ///
    /// If the user is undecided, the prompt is that of ``requestWhenInUseAuthorization(waitsForAgent:)``. Allowing it gives a
    /// provisional *always*: a second prompt follows when a location is first due in the background. A program
    /// authorized while in use can prompt for the upgrade only once, ever.
    ///
    /// The declaration needs `NSLocationAlwaysAndWhenInUseUsageDescription` besides
    /// `NSLocationWhenInUseUsageDescription`. Returns and throws as ``requestWhenInUseAuthorization(waitsForAgent:)`` does.
    @discardableResult
    public func requestAlwaysAuthorization() async throws(LocationError) -> LocationAuthorization {
        try await request(AuthorizationInterface.RequestAlways.self, Nothing())
    }

    /// Prompts the user to allow a program with reduced accuracy to use the precise location until it is no longer in
    /// use, and waits for the answer.
    ///
    /// Returns and throws as ``requestWhenInUseAuthorization(waitsForAgent:)`` does.
    ///
    /// - Parameter purposeKey: The key of the text that states the purpose to the user, in the declaration's
    ///   `NSLocationTemporaryUsageDescriptionDictionary`.
    @discardableResult
    public func requestTemporaryFullAccuracyAuthorization(
        purposeKey: String
    ) async throws(LocationError) -> LocationAuthorization {
        let parameters = AuthorizationInterface.RequestTemporaryFullAccuracy.Parameters(purposeKey: purposeKey)
        return try await request(AuthorizationInterface.RequestTemporaryFullAccuracy.self, parameters)
    }

    /// Makes a request, and throws at once if no agent shows its prompt.
    private func request<Method: InterfaceMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) async throws(LocationError) -> LocationAuthorization
    where Method.Reply == AuthorizationInterface.GetStatus.Reply {
        if let standIn = connector.standIn { return try await standIn.authorization() }
        let (status, rest) = try await connector.firstReply(of: method, parameters)
        guard status.cause?.reason == .noAgent, let message = status.cause?.message else {
            return LocationAuthorization(status)
        }
        // Unstructured, because the prompt is to stay open after this has thrown: the service closes it with the connection.
        Task { [rest] in
            var rest = rest
            while try await rest.next() != nil {}
        }
        throw .notAnswered(message: message)
    }

    /// Makes a request and waits for the answer, also while no agent shows its prompt: `noAgent` is called with the reason then.
    func answer<Method: InterfaceMethod>(
        to method: Method.Type, _ parameters: Method.Parameters, noAgent: (String) async -> Void
    ) async throws(LocationError) -> LocationAuthorization
    where Method.Reply == AuthorizationInterface.GetStatus.Reply {
        var (status, rest) = try await connector.firstReply(of: method, parameters)
        guard status.cause?.reason == .noAgent, let message = status.cause?.message else {
            return LocationAuthorization(status)
        }
        await noAgent(message)
        do {
            while let reply = try await rest.next() { status = reply }
        } catch {
            throw LocationError(error)
        }
        return LocationAuthorization(status)
    }

    /// Returns the authorization of this program and its changes as a stream. Does not prompt.
    ///
    /// The stream ends when its task is cancelled. After the service restarts it continues with the present
    /// authorization.
    public func authorizationUpdates() -> AuthorizationUpdates { AuthorizationUpdates(connector: connector) }

    /// Keeps this program in use in the background, for as long as the sequence is iterated and the user sees an
    /// indicator.
    ///
    /// Each element is true while the indicator is shown. The declaration needs `UIBackgroundModes` with `location`,
    /// and the program must be in use at the call.
    ///
    /// - Throws: ``LocationError/refused(message:)`` if one of these is missing; else as ``authorizationUpdates()``
    ///   does.
    public func backgroundActivity() async throws(LocationError) -> some AsyncSequence<Bool, LocationError> & Sendable {
        let replies = try await connector.stream(AuthorizationInterface.BeginBackgroundActivity.self, Nothing())
        return LocationErrorStream(base: replies.map(\.isShown))
    }
}
