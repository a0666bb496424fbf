import GPSDProtocol
import Glibc
import NIOCore
import NIOPosix

/// The reason why a connection to gpsd could not be made, in words that say what to look at.
enum GPSDFailure {
    /// A sentence or two about an error of the transport.
    static func sentence(_ error: any Error, _ endpoint: GPSDAddress) -> String {
        switch (endpoint, cause(of: error)) {
        case (.tcp, .number(ECONNREFUSED)): "Connection refused at \(endpoint). Is gpsd running?"
        case (.unix(let path), .number(ECONNREFUSED)):
            "Connection refused at \(path): the socket is there, but nothing listens. Is gpsd.socket running?"
        case (.unix(let path), .number(ENOENT)):
            "There is no socket \(path). Is gpsd.socket running, and does it listen there?"
        case (.unix(let path), .number(EACCES)):
            "The socket \(path) may not be opened: give user \(userName) access to it."
        case (.tcp(let host, _), .nameNotResolved):
            "The name \(host) of gpsd’s machine cannot be resolved. Is it spelt correctly, and is the network up?"
        case (_, .timedOut): "gpsd at \(endpoint) cannot be reached: no answer. Is its machine up?"
        case (_, .number(let number)): "gpsd at \(endpoint) cannot be reached: \(String(cString: strerror(number)))."
        case (_, .nameNotResolved), (_, .other): "gpsd at \(endpoint) cannot be reached."
        }
    }

    private enum Cause {
        /// An errno.
        case number(Int32)
        case nameNotResolved
        case timedOut
        case other
    }

    private static func cause(of error: any Error) -> Cause {
        switch error {
        case let error as IOError: return error.errnoCode == ETIMEDOUT ? .timedOut : .number(error.errnoCode)
        case ChannelError.connectTimeout: return .timedOut
        case let error as NIOConnectionError:
            // A name can have several addresses; the failure of all is that of the last, almost always.
            if let last = error.connectionErrors.last { return cause(of: last.error) }
            return error.dnsAError == nil && error.dnsAAAAError == nil ? .other : .nameNotResolved
        default: return .other
        }
    }

    /// The user that the daemon runs as.
    private static var userName: String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
    }
}
