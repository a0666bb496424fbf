import Glibc

/// A failure to listen.
public enum VarlinkServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the socket is longer than 107 bytes.
    case pathTooLong(String)
    /// Another process listens on this path or is about to.
    case alreadyListening(String)
    /// The existing file is not a socket and is left alone.
    case notASocket(String)
    /// A system call failed.
    case system(operation: String, path: String, errno: CInt)
    /// The listening socket was closed by something other than a shutdown.
    case listenerClosed

    /// A sentence for the log.
    public var description: String {
        switch self {
        case .pathTooLong(let path): "The path of the socket is longer than 107 bytes: \(path)"
        case .alreadyListening(let path): "Another process is listening on \(path)"
        case .notASocket(let path): "\(path) exists and is not a socket"
        case .system(let operation, let path, let errno):
            "Cannot \(operation) \(path): \(String(cString: strerror(errno)))"
        case .listenerClosed: "The listening socket was closed"
        }
    }
}
