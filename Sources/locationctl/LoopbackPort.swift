import Glibc

/// A TCP port of this machine.
enum LoopbackPort {
    /// Whether somebody listens there and accepts connections from this user.
    static func isOpen(port: UInt16, address: String) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &list) == 0, let list else { return false }
        defer { freeaddrinfo(list) }
        let descriptor = socket(list.pointee.ai_family, list.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // On the loopback the answer comes at once, whatever it is.
        return connect(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0
    }
}
