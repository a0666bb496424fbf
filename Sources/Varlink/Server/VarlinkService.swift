/// What a program offers.
///
/// All methods are called on the event loop of the server and must not block it.
public protocol VarlinkService: Sendable {
    /// Asked for once, when the server starts.
    var information: ServiceInformation { get }

    /// Asked for once, when the server starts. `org.varlink.service` is added by the server.
    var interfaces: [InterfaceDescription] { get }

    /// A peer has connected: decides, now or later, whether it may stay. Until then nothing that it sends is read, and what
    /// the end of its sending brings along is kept undecoded.
    ///
    /// - Parameter completion: to be called once, on the connection's event loop: with the session that answers the peer's
    ///   calls, one session a connection, or with the error that the peer is answered with before its connection is closed.
    ///   If the peer has gone by then, the session is told so at once (``VarlinkSession/disconnected()``).
    func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void)

    /// The error a peer is answered with when the server itself must refuse or give up.
    ///
    /// Without an implementation of your own it is one of `org.varlink.service`.
    func error(for fault: ServerFault) -> VarlinkError
}

extension VarlinkService {
    /// The nearest errors of `org.varlink.service`.
    public func error(for fault: ServerFault) -> VarlinkError {
        switch fault {
        case .messageTooLong, .tooManyCalls, .tooManyBytes: .invalidParameter("message")
        case .callDropped(let method), .replyNotEncodable(let method): .methodNotImplemented(method)
        }
    }
}

/// The service's side of one connection.
public protocol VarlinkSession: AnyObject {
    /// A call of a method that one of the service's own interfaces describes.
    ///
    /// It must be answered, now or later; the next call of this connection comes after the last reply to this one.
    /// Called on the connection's event loop.
    func receive(_ call: ServerCall)

    /// The connection is gone. Comes once, after the open call's ``ServerCall/onCancel``. Called on the connection's
    /// event loop.
    func disconnected()
}
