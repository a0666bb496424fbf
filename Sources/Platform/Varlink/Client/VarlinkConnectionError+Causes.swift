import Glibc
import NIOCore

extension VarlinkConnectionError {
    /// Converts NIO's error for a failed or broken connection.
    init(_ error: any Error, path: String) {
        self.path = path
        switch error {
        case let error as VarlinkConnectionError: reason = error.reason
        case let error as IOError: reason = Reason(errno: error.errnoCode)
        case SocketAddressError.unixDomainSocketPathTooLong: reason = .pathTooLong
        default: reason = .closedByPeer
        }
    }
}

extension VarlinkConnectionError.Reason {
    init(errno: CInt) {
        switch errno {
        case ENOENT, ENOTDIR: self = .noSuchFile
        case ECONNREFUSED: self = .refused
        case EACCES, EPERM: self = .permissionDenied
        case EAGAIN: self = .busy
        case ECONNRESET, EPIPE, ENOTCONN: self = .closedByPeer
        default: self = .system(errno)
        }
    }
}
