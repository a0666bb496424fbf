import LocationInterface
public import LocationModel
import Varlink

/// An error of the location service or of the connection to it.
///
/// Each message is a sentence for people with the error and its remedy. Programs decide by the case.
public enum LocationError: Error, Hashable, Sendable {
    /// No declaration matches this program. The message names the command that writes one.
    case clientNotDeclared(message: String)
    /// This program is not authorized, or not now. `status` is its authorization, `reason` the cause where it is known.
    case denied(status: AuthorizationStatus, reason: LocationReason?, message: String)
    /// The declaration in `file` lacks `key`, the text that states the purpose to the user.
    case missingUsageDescription(key: String, file: String, message: String)
    /// The prompt could not be shown, was not answered in time, or was shown too often.
    case notAnswered(message: String)
    /// No fix arrived in time.
    case locationUnknown(reason: String)
    /// A limit of the service's configuration is reached: the key `limit` there, and its value.
    case limitExceeded(limit: String, value: Int)
    /// The service is not running, cannot be reached by this user, or has closed the connection.
    case serviceUnavailable(reason: String)
    /// The parameter or property `name` is out of its range, which the description states, or unknown to the service.
    case invalidParameter(name: String)
    /// The caller lacks the right to do this; the message names who has it.
    case permissionDenied(message: String)
    /// The request cannot be carried out: no such client, process or prompt, or the result cannot be saved.
    case refused(message: String)
    /// The task that waited was cancelled.
    case cancelled
    /// An error unknown to this release of the library, such as one of a newer service.
    case unexpected(String)

    /// Returns `error` as a `LocationError`. Use it for errors that have lost their type, as those of a task group.
    public static func wrapping(_ error: any Error) -> LocationError { LocationError(error) }

    init(_ error: any Error) {
        switch error {
        case let error as LocationError: self = error
        case let error as VarlinkError: self = Self(error)
        case let error as VarlinkConnectionError where error.isViolation:
            // To connect again does not help.
            self = .unexpected("\(error). It may be of another release than this program.")
        case is CancellationError: self = .cancelled
        default: self = .serviceUnavailable(reason: String(describing: error))
        }
    }

    private init(_ error: VarlinkError) {
        do {
            self = try Self.known(error)
        } catch {
            self = .unexpected("The location service's answer could not be read: \(error)")
        }
    }

    private static func known(_ error: VarlinkError) throws -> LocationError {
        func fields<E: InterfaceError>(_ type: E.Type) throws -> E { try error.parameters(as: type) }
        switch error.name {
        case LocationInterface.LocationUnavailable.name:
            return .locationUnknown(reason: try fields(LocationInterface.LocationUnavailable.self).reason)
        case LocationInterface.LimitExceeded.name:
            let fields = try fields(LocationInterface.LimitExceeded.self)
            if let message = fields.message { return .refused(message: message) }
            return .limitExceeded(limit: fields.limit, value: fields.value)
        case LocationInterface.ServiceStopping.name:
            return .serviceUnavailable(reason: "The location service is ending.")
        case AuthorizationInterface.ClientNotDeclared.name: return .clientNotDeclared(message: try error.message)
        case AuthorizationInterface.NotAuthorized.name:
            let fields = try fields(AuthorizationInterface.NotAuthorized.self)
            return .denied(status: fields.status, reason: fields.reason, message: fields.message)
        case AuthorizationInterface.MissingUsageDescription.name:
            let fields = try fields(AuthorizationInterface.MissingUsageDescription.self)
            return .missingUsageDescription(key: fields.key, file: fields.file, message: fields.message)
        case AuthorizationInterface.NoAgent.name, AuthorizationInterface.NotAnswered.name,
            AuthorizationInterface.TooManyPrompts.name:
            return .notAnswered(message: try error.message)
        case AgentInterface.NotAnAgent.name, ManagerInterface.NotAManager.name:
            return .permissionDenied(message: try error.message)
        case AuthorizationInterface.BackgroundActivityNotAllowed.name, ManagerInterface.InvalidRule.name,
            ManagerInterface.NotSaved.name, ManagerInterface.NotReadable.name, MonitorInterface.InvalidCondition.name,
            MonitorInterface.NotSaved.name:
            return .refused(message: try error.message)
        case AgentInterface.NoSuchPrompt.name:
            return .refused(message: "There is no open prompt \(try fields(AgentInterface.NoSuchPrompt.self).id).")
        case AgentInterface.ChoiceNotOffered.name:
            let choices = try fields(AgentInterface.ChoiceNotOffered.self).choices.map(\.rawValue)
            return .refused(
                message: "The prompt does not offer that. It offers: \(choices.joined(separator: ", ")).")
        case ManagerInterface.NoSuchClient.name:
            let fields = try fields(ManagerInterface.NoSuchClient.self)
            let hint =
                fields.suggestion.map { "Did you mean \($0)?" } ?? "To list those that are, run: locationctl clients"
            return .refused(message: "No client \(fields.client) is declared. \(hint)")
        case ManagerInterface.NoSuchProcess.name:
            let process = try fields(ManagerInterface.NoSuchProcess.self).processID
            return .refused(message: "There is no process \(process).")
        case ManagerInterface.Restricted.name:
            let fields = try fields(ManagerInterface.Restricted.self)
            return .refused(message: "\(fields.file) restricts \(fields.client); no decision changes that.")
        case ManagerInterface.NoSuchRule.name:
            let id = try fields(ManagerInterface.NoSuchRule.self).id
            return .refused(message: "You have no rule \(id). To list the rules, run: locationctl rules list")
        case ManagerInterface.FixedRule.name:
            let fields = try fields(ManagerInterface.FixedRule.self)
            let place = fields.file ?? "DefaultPolicy in the service's configuration"
            return .refused(message: "Rule \(fields.id) is in \(place); only root can change it.")
        case ManagerInterface.NoSuchPlace.name:
            let fields = try fields(ManagerInterface.NoSuchPlace.self)
            let hint =
                fields.suggestion.map { "Did you mean \($0)?" }
                ?? "To add it where you are, run: locationctl places add \(fields.name) --here"
            return .refused(message: "You have no place \(fields.name). \(hint)")
        case ManagerInterface.PlaceExists.name:
            let name = try fields(ManagerInterface.PlaceExists.self).name
            return .refused(
                message:
                    "You have a place \(name) already. To put another one in its place, add --replace; but programs that "
                    + "have seen where their locations stop at both can tell more about it.")
        case ManagerInterface.PlaceInUse.name:
            let fields = try fields(ManagerInterface.PlaceInUse.self)
            return .refused(
                message:
                    "Rule \(fields.rule) needs the place \(fields.name). To remove that rule, run: locationctl rules "
                    + "remove \(fields.rule)")
        case VarlinkError.permissionDenied.name:
            return .permissionDenied(message: "Only root, or the user that locationd runs as, may do this.")
        case VarlinkError.invalidParameter("").name:
            struct Fields: Decodable { var parameter: String }
            return .invalidParameter(name: try error.parameters(as: Fields.self).parameter)
        case _ where error.isOfOlderService: return .olderService(nil)
        // One without a sentence, or whose member is something else, is told by its name.
        default: return .unexpected((try? error.message) ?? "The location service answered with \(error.name).")
        }
    }
}

extension VarlinkError {
    /// The sentence for people that most errors have.
    fileprivate var message: String {
        get throws {
            struct Fields: Decodable { var message: String }
            return try parameters(as: Fields.self).message
        }
    }
}

extension LocationError {
    /// The error for a method that the service lacks.
    ///
    /// - Parameter release: that of the service; `nil` if it is not known.
    static func olderService(_ release: String?) -> LocationError {
        let found = release.map { "that runs is release \($0)" } ?? "is an older release"
        return .refused(
            message: "The location service \(found) and cannot do this; this program is made for \(serviceVersion). If "
                + "that is installed, restart the service: sudo systemctl restart locationd.service")
    }
}

extension VarlinkError {
    /// True for the answer of a service that does not have the method.
    var isOfOlderService: Bool {
        ["org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound"].contains(name)
    }
}

extension VarlinkConnectionError {
    /// True if the service has sent what this program cannot read.
    fileprivate var isViolation: Bool { if case .protocolViolation = reason { true } else { false } }
}

extension LocationError: CustomStringConvertible {
    /// The ranges of parameters, by name.
    private static let ranges = [
        "timeout": "above 0 and at most 3600 seconds",
        "desiredAccuracy": "above 0 and at most 100,000,000 m",
        "distanceFilter": "0 to 100,000,000 m",
        "maximumError": "1 to 1000 m",
        "maximumInterval": "1 to 3600 seconds",
        "minimumInterval": "0 to 86,400 seconds", "until": "in the future, for a decision to allow",
        "headingFilter": "0 to 180 degrees",
        "rate": "1 to 60 frames a second",
        "limit": "1 to 1000 entries",
        "radius": "50 to 50,000 m",
        "monitor": "1 to 255 bytes without control characters",
        "identifier": "1 to 255 bytes without control characters",
    ]

    /// A sentence for people with the error and its remedy.
    public var description: String {
        switch self {
        case .clientNotDeclared(let message), .denied(_, _, let message), .missingUsageDescription(_, _, let message),
            .notAnswered(let message), .permissionDenied(let message), .refused(let message), .unexpected(let message):
            message
        case .locationUnknown(let reason): reason
        case .cancelled: "The task was cancelled."
        case .limitExceeded(let limit, let value): "The location service allows no more: \(limit) is \(value)."
        case .serviceUnavailable(let reason): reason
        case .invalidParameter(let name):
            Self.ranges[name].map { "\(name) is out of its range: \($0)." } ?? "\(name) is not valid."
        }
    }
}
