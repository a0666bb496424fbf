import Glibc
import HTTPTransfer
package import LocationSharing
import NIOCore
import NIOPosix

/// An address of an interface of this machine.
struct InterfaceAddress: Hashable, Sendable {
    var interface: String
    /// The address, with port 0.
    var address: SocketAddress
    /// The mask of its network; `nil` if it is in none.
    var netmask: SocketAddress?
    /// True if no other machine reaches the address.
    let isLoopback: Bool

    /// - Parameter isLoopback: by default, as the address says. Only tests say otherwise.
    init(interface: String, address: SocketAddress, netmask: SocketAddress? = nil, isLoopback: Bool? = nil) {
        self.netmask = netmask
        (self.interface, self.address, self.isLoopback) = (interface, address, isLoopback ?? address.isLoopback)
    }

    /// True unless the address is one of loopback, a link, or a private network (RFC 1918, RFC 4193).
    var isPublic: Bool { !address.isPrivate }

    /// True if an address is one of this machine's now, whatever its port.
    static func contains(_ address: SocketAddress) throws -> Bool {
        try address.isLoopback || all().contains { $0.address.ipAddress == address.ipAddress }
    }

    /// All addresses of this machine now.
    static func all() throws -> [InterfaceAddress] {
        try System.enumerateDevices().compactMap { device in
            device.address.map { InterfaceAddress(interface: device.name, address: $0, netmask: device.netmask) }
        }
    }
}

extension [InterfaceAddress] {
    /// The addresses at which readers of a bridge are served. Public ones only if they are allowed.
    func addresses(for endpoint: BridgeEndpoint) throws(BridgeProblem) -> [SocketAddress] {
        // A file may have any number.
        guard UInt16(exactly: endpoint.port) != nil else { throw .refused(endpoint, "the port is out of range") }
        let all = filter { $0.interface == endpoint.interface }
        guard !all.isEmpty else {
            guard if_nametoindex(endpoint.interface) != 0 else {
                let others = Set(map(\.interface)).subtracting(filter(\.isLoopback).map(\.interface))
                throw .noInterface(endpoint.interface, others: others.sorted())
            }
            throw .noAddress(endpoint.interface)
        }
        guard !all.contains(where: \.isLoopback) else { throw .loopback(endpoint.interface) }
        let usable = endpoint.allowsPublic ? all : all.filter { !$0.isPublic }
        guard !usable.isEmpty else { throw .publicOnly(endpoint.interface) }
        return usable.map(\.address)
    }
}

extension SocketAddress {
    /// True for an address of loopback, a link, or a private network.
    var isPrivate: Bool {
        withSockAddr { address, size in
            PrivateAddress.contains(socketAddress: UnsafeRawBufferPointer(start: address, count: size))
        }
    }

    /// True for an address that no other machine reaches.
    fileprivate var isLoopback: Bool {
        ipAddress.map { $0.hasPrefix("127.") || $0 == "::1" } ?? true
    }
}

/// The reason why a bridge has no readers.
package enum BridgeProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case noInterface(String, others: [String])
    case noAddress(String)
    /// The interface leads to this machine only.
    case loopback(String)
    /// The interface has public addresses only, which are not allowed.
    case publicOnly(String)
    /// The text is no address in a network of this machine.
    case noAddressOfNetwork(String)
    /// The address is in more than one network, so that the interface has to be named.
    case needsInterface(String, Int)
    /// The address is this machine's own.
    case ownAddress(String)
    /// Another program has the port.
    case portInUse(BridgeEndpoint)
    /// The system refuses it.
    case refused(BridgeEndpoint, String)

    /// A sentence with the remedy.
    package var description: String {
        switch self {
        case .noInterface(let name, let others):
            "There is no interface \(name). "
                + (others.isEmpty
                    ? "This machine is in no network now." : "There are: \(others.joined(separator: ", ")).")
        case .noAddress(let name): "\(name) has no address now. To see its state, run: ip address show \(name)"
        case .loopback(let name):
            "\(name) leads to this machine only, whose programs get your location at gpsd's port by your decision for each. To give "
                + "that port to the service, run: sudo locationctl gpsd on"
        case .publicOnly(let name):
            "\(name) has public addresses only: everybody on the Internet could read your position there. If you want that, "
                + "add the bridge with --public."
        case .noAddressOfNetwork(let text):
            "\(text) is no address in a network of this machine. To see the networks and their broadcast addresses (brd), run: ip address"
        case .needsInterface(let text, let port):
            "\(text) is in each network. Name the interface, as in "
                + (text.contains(":") ? "[\(text)%eth0]:\(port)" : "\(text)%eth0:\(port)") + "."
        case .ownAddress(let text):
            "\(text) is this machine itself, whose programs get your location at gpsd's port by your decision for each. To give that "
                + "port to the service, run: sudo locationctl gpsd on"
        case .portInUse(let endpoint):
            "Another program has port \(endpoint.port) of \(endpoint.interface). To see which, run: "
                + "sudo ss --listening --tcp --processes 'sport = :\(endpoint.port)'"
        case .refused(let endpoint, let words):
            "\(endpoint.interface), \(endpoint.way), cannot be used: \(words)."
        }
    }
}
