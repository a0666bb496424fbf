public import VarlinkIDL

/// The service that a program offers.
///
/// All methods are called on the event loop of the server and must not block it.
public protocol VarlinkService: Sendable {
    /// Read once, when the server starts.
    var information: ServiceInformation { get }

    /// Read once, when the server starts. The server adds `org.varlink.service`.
    var interfaces: [InterfaceDescription] { get }

    /// Accepts or rejects a new peer, now or later. Until then its input is not read, or at the end of its input kept
    /// undecoded.
    ///
    /// - Parameter completion: to be called once, on the connection's event loop, with the session that answers the
    ///   peer's calls, one for each connection, or with the error to send before the connection is closed. If the peer
    ///   has gone by then, the session is told at once (``VarlinkSession/disconnected()``).
    func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void)

    /// The error reply when the server itself refuses a call or gives up.
    ///
    /// The default implementation uses errors of `org.varlink.service`.
    func error(for fault: ServerFault) -> VarlinkError
}

extension VarlinkService {
    /// The closest errors of `org.varlink.service`.
    public func error(for fault: ServerFault) -> VarlinkError {
        switch fault {
        case .messageTooLong, .tooManyBytes: .invalidParameter("message")
        case .callDropped(let method), .replyNotEncodable(let method): .methodNotImplemented(method)
        }
    }
}

/// The service's state for one connection.
public protocol VarlinkSession: AnyObject {
    /// Handles a call of a method in the service's interfaces.
    ///
    /// It must be answered, now or later; the connection's next call follows after the last reply. Called on the
    /// connection's event loop.
    func receive(_ call: ServerCall)

    /// Handles the end of the connection. Called once, after the open call's ``ServerCall/onCancel``, on the
    /// connection's event loop.
    func disconnected()
}
