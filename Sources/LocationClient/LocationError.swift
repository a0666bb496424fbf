import LocationInterface
public import LocationModel
import Varlink

/// Why the service gave no location.
public enum LocationError: Error, Hashable, Sendable {
    /// No declaration matches this program. The message says what to write into which file.
    case clientNotDeclared(message: String)
    /// This program may not know where the user is, or not now. The message says who decided that.
    case denied(status: AuthorizationStatus, message: String)
    /// No fix came in time.
    case locationUnknown(reason: String)
    /// A limit of the service's configuration is reached: its key there and its value.
    case limitExceeded(limit: String, value: Int)
    /// The service is not running, not reachable for this user, or has ended the connection.
    case serviceUnavailable(reason: String)
    /// A setting is out of its range.
    case invalidParameter(name: String)
    /// The caller may not do this: it is for root and the service's own user.
    case permissionDenied
    /// Something that this release does not know, such as an error of a newer service.
    case unexpected(String)

    init(_ error: any Error) {
        switch error {
        case let error as LocationError: self = error
        case let error as VarlinkError: self = Self(error)
        case is CancellationError: self = .unexpected("The task was cancelled.")
        default: self = .serviceUnavailable(reason: String(describing: error))
        }
    }

    private init(_ error: VarlinkError) {
        do {
            switch error.name {
            case AuthorizationInterface.ClientNotDeclared.name:
                let fields = try error.parameters(as: AuthorizationInterface.ClientNotDeclared.self)
                self = .clientNotDeclared(message: fields.message)
            case AuthorizationInterface.NotAuthorized.name:
                let fields = try error.parameters(as: AuthorizationInterface.NotAuthorized.self)
                self = .denied(status: fields.status, message: fields.message)
            case LocationInterface.LocationUnavailable.name:
                let fields = try error.parameters(as: LocationInterface.LocationUnavailable.self)
                self = .locationUnknown(reason: fields.reason)
            case LocationInterface.LimitExceeded.name:
                let fields = try error.parameters(as: LocationInterface.LimitExceeded.self)
                self = .limitExceeded(limit: fields.limit, value: fields.value)
            case LocationInterface.ServiceStopping.name:
                self = .serviceUnavailable(reason: "The location service is ending.")
            case VarlinkError.permissionDenied.name:
                self = .permissionDenied
            case VarlinkError.invalidParameter("").name:
                struct Fields: Decodable { var parameter: String }
                self = .invalidParameter(name: try error.parameters(as: Fields.self).parameter)
            default:
                self = .unexpected("The location service answered with \(error.name).")
            }
        } catch {
            self = .unexpected("The location service's answer could not be read: \(error)")
        }
    }
}

extension LocationError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .clientNotDeclared(let message), .denied(_, let message), .unexpected(let message): message
        case .locationUnknown(let reason): reason
        case .limitExceeded(let limit, let value): "The location service allows no more: \(limit) is \(value)."
        case .serviceUnavailable(let reason): reason
        case .invalidParameter(let name): "\(name) is out of its range."
        case .permissionDenied: "Only root and the user that locationd runs as may do this."
        }
    }
}
