import Glibc

/// The address of a Unix socket, with a check of its length.
struct UnixAddress {
    let path: String
    private var address = sockaddr_un()

    init(_ path: String) throws(VarlinkServerError) {
        self.path = path
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            // One byte is for the NUL at the end.
            guard path.utf8.count < bytes.count else { return false }
            bytes.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { throw .pathTooLong(path) }
    }

    /// Passes the address in the form of the socket calls.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) { pointer in
            // A `sockaddr_un` begins as every `sockaddr` does.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Creates a non-blocking stream socket that child processes do not inherit.
    func makeSocket() throws(VarlinkServerError) -> CInt {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .system(operation: "make a socket for", path: path, errno: errno) }
        return descriptor
    }
}
