import Glibc
package import LocationSharing
import NIOCore
import POSIXSupport

/// What gives a text to a network.
///
/// Confined to the event loop.
protocol BridgeOutput: AnyObject {
    /// The reason why nobody receives anything; `nil` if somebody can.
    var problem: BridgeProblem? { get }
    /// Sends a text to all readers.
    func send(_ text: String)
    /// Ends it.
    func close()
}

extension BridgeServer: BridgeOutput {}

/// A bridge that sends datagrams to one address in a network.
///
/// Confined to the event loop.
final class BridgeSender: BridgeOutput {
    /// The number of texts between two looks at the interface.
    private static let lookInterval = 5

    private let endpoint: BridgeEndpoint
    private let addresses: () throws -> [InterfaceAddress]
    private var descriptor: CInt?
    private var target: SocketAddress?
    private var count = 0
    private(set) var problem: BridgeProblem?

    /// - Parameter addresses: the addresses of this machine. Only tests replace them.
    init(_ endpoint: BridgeEndpoint, addresses: @escaping () throws -> [InterfaceAddress] = InterfaceAddress.all) {
        (self.endpoint, self.addresses) = (endpoint, addresses)
        open()
    }

    func close() {
        if let descriptor { Glibc.close(descriptor) }
        (descriptor, target) = (nil, nil)
    }

    func send(_ text: String) {
        count += 1
        if count.isMultiple(of: Self.lookInterval) || target == nil { open() }
        guard let descriptor, let target else { return }
        let bytes = Array(text.utf8)
        let sent = target.withSockAddr { address, size in
            sendto(
                descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL), address,
                socklen_t(size))
        }
        // A full buffer, and a host that is not there now, cost this datagram only.
        guard sent < 0, ![EAGAIN, ENOBUFS, ECONNREFUSED, EHOSTUNREACH].contains(errno) else { return }
        problem = .refused(endpoint, "\(Errno())")
        close()
    }

    /// Makes the socket, as far as the interface leads to the address now.
    private func open() {
        do throws(BridgeProblem) {
            target = try endpoint.among(addresses).target(of: endpoint)
            if descriptor == nil { descriptor = try endpoint.sendingSocket() }
            problem = nil
        } catch {
            close()
            problem = error
        }
    }
}

extension BridgeEndpoint {
    /// The same with the interface that leads to its address.
    package func resolved() throws(BridgeProblem) -> BridgeEndpoint {
        let all = try among(InterfaceAddress.all)
        var endpoint = self
        if interface.isEmpty { endpoint.interface = try all.interface(leadingTo: self) }
        _ = try all.target(of: endpoint)
        return endpoint
    }

    /// A socket whose datagrams leave by the interface only.
    fileprivate func sendingSocket() throws(BridgeProblem) -> CInt {
        let family = destination?.contains(":") == true ? AF_INET6 : AF_INET
        let descriptor = socket(family, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .refused(self, "\(Errno())") }
        let isMade =
            setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, interface, socklen_t(interface.utf8.count)) == 0
            // Programs of this machine get no copy of what goes to a group; of a broadcast the kernel gives them one.
            && (family == AF_INET6
                ? setOption(descriptor, CInt(IPPROTO_IPV6), IPV6_MULTICAST_LOOP, 0)
                : setOption(descriptor, CInt(IPPROTO_IP), IP_MULTICAST_LOOP, 0)
                    && setOption(descriptor, SOL_SOCKET, SO_BROADCAST, 1))
        if isMade { return descriptor }
        let error = Errno()
        close(descriptor)
        throw .refused(self, "\(error)")
    }
}

extension [InterfaceAddress] {
    /// The name of the interface whose network has the address of an end.
    fileprivate func interface(leadingTo endpoint: BridgeEndpoint) throws(BridgeProblem) -> String {
        let text = endpoint.destination ?? ""
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { throw .noAddressOfNetwork(text) }
        guard !address.isMulticast, !address.isLinkLocal else { throw .needsInterface(text, endpoint.port) }
        guard let found = first(where: { $0.network(contains: address) }) else { throw .noAddressOfNetwork(text) }
        return found.interface
    }

    /// The address to which an end sends, if that is in the network of its interface.
    fileprivate func target(of endpoint: BridgeEndpoint) throws(BridgeProblem) -> SocketAddress {
        let text = endpoint.destination ?? ""
        // Refuses loopback, and interfaces that are missing or have no other addresses than public ones.
        let usable = try addresses(for: endpoint)
        guard let address = try? SocketAddress(ipAddress: text, port: endpoint.port), text != "255.255.255.255" else {
            throw .noAddressOfNetwork(text)
        }
        let mine = filter { $0.interface == endpoint.interface }
        guard !contains(where: { $0.address.ipAddress == address.ipAddress }) else { throw .ownAddress(text) }
        // The socket is bound to the interface, and so these need no zone.
        if address.isMulticast || address.isLinkLocal { return address }
        guard let network = mine.first(where: { $0.network(contains: address) }) else {
            throw .noAddressOfNetwork(text)
        }
        guard usable.contains(network.address) else { throw .publicOnly(endpoint.interface) }
        return address
    }
}

extension InterfaceAddress {
    /// True if an address is in the network that this address and its mask span.
    fileprivate func network(contains other: SocketAddress) -> Bool {
        let (mine, mask, its) = (address.bytes, netmask?.bytes ?? [], other.bytes)
        guard mine.count == its.count, mask.count == its.count, mask.contains(where: { $0 != 0 }) else { return false }
        return zip(mask, zip(mine, its)).allSatisfy { $0 & $1.0 == $0 & $1.1 }
    }
}

extension SocketAddress {
    /// The bytes of the address: 4 or 16.
    fileprivate var bytes: [UInt8] {
        withSockAddr { address, size in
            let all = UnsafeRawBufferPointer(start: address, count: size)
            return switch self {
            case .v4: Array(all[4..<8])
            case .v6: Array(all[8..<24])
            case .unixDomainSocket: []
            }
        }
    }

    /// True for an address of IPv6 that counts on one link only.
    fileprivate var isLinkLocal: Bool { bytes.count == 16 && bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 }
}
