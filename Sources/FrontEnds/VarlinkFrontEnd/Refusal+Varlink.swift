import LocationCore
import LocationInterface
import LocationPolicy
import Varlink

// The core's refusals, causes and diagnostics in the terms of the `org.locationd.*` interfaces.

extension VarlinkError {
    /// The Varlink error for the core's refusal.
    init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .invalidParameter(let name): .invalidParameter(name)
            case .permissionDenied: .permissionDenied
            case .limitExceeded(let limit, let value):
                Self.error(LocationInterface.LimitExceeded(limit: limit, value: value))
            case .tooManyConnections(let value, let message):
                Self.error(
                    LocationInterface.LimitExceeded(limit: "ConnectionsPerUser", value: value, message: message))
            case .locationUnavailable(let reason): Self.error(LocationInterface.LocationUnavailable(reason: reason))
            case .notDeclared(let peer, let message):
                Self.error(AuthorizationInterface.ClientNotDeclared(peer, message: message))
            case .notAuthorized(let client, let status, let reason, let message):
                Self.error(
                    AuthorizationInterface.NotAuthorized(
                        client: client, status: status, reason: reason,
                        message: message))
            case .missingUsageDescription(let key, let file, let message):
                Self.error(AuthorizationInterface.MissingUsageDescription(key: key, file: file, message: message))
            case .noAgent(let seconds, let message):
                Self.error(AuthorizationInterface.NoAgent(seconds: seconds, message: message))
            case .notAnswered(let seconds, let message):
                Self.error(AuthorizationInterface.NotAnswered(seconds: seconds, message: message))
            case .tooManyPrompts(let message): Self.error(AuthorizationInterface.TooManyPrompts(message: message))
            case .backgroundActivityNotAllowed(let message):
                Self.error(AuthorizationInterface.BackgroundActivityNotAllowed(message: message))
            case .notAnAgent(let message): Self.error(AgentInterface.NotAnAgent(message: message))
            case .noSuchPrompt(let id): Self.error(AgentInterface.NoSuchPrompt(id: id))
            case .choiceNotOffered(let choices): Self.error(AgentInterface.ChoiceNotOffered(choices: choices))
            case .notAManager(let message): Self.error(ManagerInterface.NotAManager(message: message))
            case .noSuchClient(let client, let suggestion):
                Self.error(ManagerInterface.NoSuchClient(client, suggestion: suggestion))
            case .noSuchProcess(let processID): Self.error(ManagerInterface.NoSuchProcess(processID: processID))
            case .restricted(let client, let file):
                Self.error(ManagerInterface.Restricted(client: client, file: file))
            case .invalidRule(let message): Self.error(ManagerInterface.InvalidRule(message: message))
            case .noSuchRule(let id): Self.error(ManagerInterface.NoSuchRule(id: id))
            case .fixedRule(let id, let file): Self.error(ManagerInterface.FixedRule(id: id, file: file))
            case .noSuchPlace(let name, let suggestion):
                Self.error(ManagerInterface.NoSuchPlace(name: name, suggestion: suggestion))
            case .placeExists(let name): Self.error(ManagerInterface.PlaceExists(name: name))
            case .placeInUse(let name, let rule): Self.error(ManagerInterface.PlaceInUse(name: name, rule: rule))
            case .notSaved(let isInForce, let message):
                Self.error(ManagerInterface.NotSaved(isInForce: isInForce, message: message))
            case .watchNotSaved(let message): Self.error(MonitorInterface.NotSaved(message: message))
            case .notReadable(let message): Self.error(ManagerInterface.NotReadable(message: message))
            }
    }

    static func error<E: InterfaceError>(_ error: E) -> VarlinkError {
        VarlinkError(name: E.name, parameters: error)
    }
}

extension AuthorizationInterface.ClientNotDeclared {
    fileprivate init(_ peer: PeerIdentity, message: String) {
        self.init(message: message)
        executable = peer.executable
        systemdUnit = peer.systemdUnit
        userUnit = peer.userUnit
        flatpakID = peer.flatpakID
        securityLabel = peer.securityLabel
    }
}

extension ManagerInterface.NoSuchClient {
    fileprivate init(_ client: String, suggestion: String?) {
        self.init(client: client)
        self.suggestion = suggestion
    }
}

extension AuthorizationInterface.GetStatus.Reply {
    init(_ report: AuthorizationReport) {
        self.init(
            client: report.client, status: report.authorization.status, accuracy: report.authorization.accuracy,
            cause: report.cause)
    }
}

extension AgentInterface.Prompt {
    init(_ report: PromptReport) {
        self.init(
            id: report.id, kind: AgentInterface.Kind(report.kind), client: report.client,
            displayName: report.displayName, processID: Int(report.processID), userID: Int(report.userID),
            usageDescription: report.usageDescription, choices: report.kind.choices)
        executable = report.requester?.executable
        unit = report.requester?.userUnit ?? report.requester?.systemdUnit
        session = report.requester?.session
        application = report.requester?.application
        recipients = report.recipients.isEmpty ? nil : report.recipients
    }
}

extension AgentInterface.Kind {
    fileprivate init(_ kind: Prompt.Kind) {
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

extension AgentInterface.Reset {
    init(_ report: ResetReport) {
        self.init(
            client: report.client, displayName: report.displayName, wasAlways: report.level == .always,
            time: report.time)
    }
}

extension AgentInterface.Activity {
    init(_ report: ActivityReport) {
        self.init(client: report.client, displayName: report.displayName, processID: Int(report.processID))
    }
}
