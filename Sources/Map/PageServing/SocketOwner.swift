import Glibc
import NIOCore

/// The owner of the other end of a local connection, as the kernel reports it.
///
/// Over the loopback interface both ends are sockets of this machine, and the kernel reports the user of each
/// (`sock_diag(7)`): one look-up by addresses instead of a walk through `/proc/net/tcp`, for every local user, without
/// trusting the peer. One request at the acceptance of the connection suffices: while this end is open, no other
/// process can have the other end.
enum SocketOwner {
    /// Returns the user ID of the process that created the peer's socket; `nil` if the kernel does not report it, or
    /// the peer has closed the connection.
    static func ofPeer(local: SocketAddress, remote: SocketAddress) -> uid_t? {
        guard let source = Endpoint(remote), let destination = Endpoint(local) else { return nil }
        let descriptor = socket(AF_NETLINK, CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue), netlinkSockDiag)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // From the peer's point of view the source is our remote end.
        let request = request(source: source, destination: destination)
        let sent = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == request.count else { return nil }
        let answer = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return owner(in: answer)
    }

    /// A port and an IPv4 address in network byte order, as in `struct sockaddr_in`.
    private struct Endpoint {
        let port: UInt16
        let address: UInt32

        init?(_ socketAddress: SocketAddress) {
            guard case .v4 = socketAddress else { return nil }
            (port, address) = socketAddress.withSockAddr { pointer, size in
                let bytes = UnsafeRawBufferPointer(start: pointer, count: size)
                return (
                    bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self),
                    bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
                )
            }
        }
    }

    private static let netlinkSockDiag: CInt = 4
    private static let sockDiagByFamily: UInt16 = 20
    private static let established: UInt8 = 1

    /// Returns the request for exactly this connection: `struct nlmsghdr` and `struct inet_diag_req_v2` of
    /// <linux/netlink.h> and <linux/inet_diag.h>.
    private static func request(source: Endpoint, destination: Endpoint) -> [UInt8] {
        var bytes: [UInt8] = []
        func add<T>(_ value: T) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
        let length: UInt32 = 16 + 8 + 48
        add(length)
        add(sockDiagByFamily)
        // NLM_F_REQUEST
        add(UInt16(1))
        // The sequence number, and the kernel's own port.
        add(UInt32(1))
        add(UInt32(0))
        add([UInt8(AF_INET), UInt8(IPPROTO_TCP), 0, 0].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
        add(UInt32(1) << UInt32(established))
        add(source.port)
        add(destination.port)
        for address in [source.address, destination.address] {
            add(address)
            add((UInt32(0), UInt32(0), UInt32(0)))
        }
        // Any interface, no cookie.
        add((UInt32(0), UInt32.max, UInt32.max))
        return bytes
    }

    /// Returns the user ID in `struct inet_diag_msg`; `nil` for a closed connection, for which the kernel reports 0.
    private static func owner(in answer: [UInt8]) -> uid_t? {
        guard answer.count >= 88 else { return nil }
        return answer.withUnsafeBytes { bytes in
            guard bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == sockDiagByFamily,
                bytes.loadUnaligned(fromByteOffset: 17, as: UInt8.self) == established,
                bytes.loadUnaligned(fromByteOffset: 84, as: UInt32.self) != 0
            else { return nil }
            return bytes.loadUnaligned(fromByteOffset: 80, as: uid_t.self)
        }
    }
}
