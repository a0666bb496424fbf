import Glibc
package import LocationSharing
import NIOCore
import POSIXSupport

extension BridgeEndpoint {
    /// The number of connections that the kernel keeps until they are accepted.
    static let backlog: CInt = 16

    /// The addresses to which readers connect now, with the port.
    package func readerAddresses() throws(BridgeProblem) -> [String] {
        try localAddresses().map { address in
            let text = address.ipAddress ?? ""
            // A reader has to name its own interface there.
            let zone = text.hasPrefix("fe80:") ? "%INTERFACE" : ""
            return text.contains(":") ? "[\(text)\(zone)]:\(port)" : "\(text):\(port)"
        }
    }

    /// Opens the port and closes it again.
    package func check() throws(BridgeProblem) {
        guard destination == nil else {
            _ = try resolved()
            return
        }
        for address in try localAddresses() { Glibc.close(try boundSocket(at: address)) }
    }

    private func localAddresses() throws(BridgeProblem) -> [SocketAddress] {
        try among(InterfaceAddress.all).addresses(for: self)
    }

    /// Looks the addresses of this machine up.
    func among(_ addresses: () throws -> [InterfaceAddress]) throws(BridgeProblem) -> [InterfaceAddress] {
        do { return try addresses() } catch { throw .refused(self, "\(error)") }
    }

    /// A socket that listens at an address, which only packets of the interface reach.
    func boundSocket(at address: SocketAddress) throws(BridgeProblem) -> CInt {
        var address = address
        address.port = port
        let family = address.protocol == .inet6 ? AF_INET6 : AF_INET
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .refused(self, "\(Errno())") }
        let isBound =
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
            && (family == AF_INET || setOption(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, 1))
            // Without it, whoever is in another network could send packets to this address, too. Takes no rights since Linux 5.7.
            && setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, interface, socklen_t(interface.utf8.count))
                == 0
            && address.withSockAddr { bind(descriptor, $0, socklen_t($1)) } == 0
            && listen(descriptor, Self.backlog) == 0
        if isBound { return descriptor }
        let error = Errno()
        close(descriptor)
        throw error.code == EADDRINUSE ? .portInUse(self) : .refused(self, "\(error)")
    }
}

/// Sets a number among a socket's options. Returns false if the system refuses it.
func setOption(_ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt) -> Bool {
    var value = value
    return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
}
