import Glibc

/// Why a call did not reach the service, or its answer not us.
public struct VarlinkConnectionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened, for a program to switch on.
    public enum Reason: Sendable, Equatable {
        /// Nothing exists at the path.
        case noSuchFile
        /// There is a socket, but nobody listens on it.
        case refused
        /// The socket's permissions, or those of a directory above it, keep this user out.
        case permissionDenied
        /// More connections are waiting than the service accepts; try again later.
        case busy
        /// A socket's path has at most 107 bytes.
        case pathTooLong
        /// The service closed the connection before it had answered.
        case closedByPeer
        /// This side has closed the connection.
        case closed
        /// The service sent what it should not; the text says what.
        case protocolViolation(String)
        /// The kernel reported this `errno`.
        case system(CInt)
    }

    /// What happened.
    public let reason: Reason
    /// The path of the socket.
    public let path: String

    /// A sentence for the user.
    public var description: String {
        switch reason {
        case .noSuchFile: "There is no socket at \(path): the service is not installed or not running"
        case .refused: "Nobody is listening on \(path): the service is not running"
        case .permissionDenied: "You have no permission to connect to \(path)"
        case .busy: "The service at \(path) has too many connections waiting"
        case .pathTooLong: "The path of the socket is longer than 107 bytes: \(path)"
        case .closedByPeer: "The service at \(path) closed the connection without an answer"
        case .closed: "The connection to \(path) has been closed"
        case .protocolViolation(let what): "The service at \(path) sent \(what)"
        case .system(let errno): "The connection to \(path) failed: \(String(cString: strerror(errno)))"
        }
    }
}
