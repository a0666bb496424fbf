import Glibc

/// A failure of the connection to a service.
public struct VarlinkConnectionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Reason: Sendable, Equatable {
        /// The socket does not exist.
        case noSuchFile
        /// Nobody listens on the socket.
        case refused
        /// The permissions of the socket, or of a directory above it, deny access to this user.
        case permissionDenied
        /// The queue of waiting connections is full; try again later.
        case busy
        /// The path of the socket is longer than 107 bytes.
        case pathTooLong
        /// The service closed the connection before answering.
        case closedByPeer
        /// The service accepted the connection and never answered.
        case unresponsive
        /// This side closed the connection.
        case closed
        /// The service violated the protocol; the text says how.
        case protocolViolation(String)
        /// The kernel reported this `errno`.
        case system(CInt)
    }

    /// The kind of failure.
    public let reason: Reason
    /// The path of the socket.
    public let path: String

    /// A sentence for the user.
    public var description: String {
        switch reason {
        case .noSuchFile: "There is no socket at \(path): the service is not running or not installed"
        case .refused: "Nobody is listening on \(path): the service is not running"
        case .permissionDenied: "You have no permission to connect to \(path)"
        case .busy: "The service at \(path) has too many connections waiting"
        case .pathTooLong: "The path of the socket is longer than 107 bytes: \(path)"
        case .closedByPeer: "The service at \(path) closed the connection without an answer"
        case .unresponsive:
            "The service at \(path) accepts connections but does not answer: it is stuck, or it fails each time it is started"
        case .closed: "The connection to \(path) has been closed"
        case .protocolViolation(let what): "The service at \(path) sent \(what)"
        case .system(let errno): "The connection to \(path) failed: \(String(cString: strerror(errno)))"
        }
    }
}
