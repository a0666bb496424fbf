/// The end of a bridge: where whoever is in a network of this machine gets the position, without encryption or a password.
package struct BridgeEndpoint: Codable, Hashable, Sendable {
    /// The name of the interface that leads to the network, such as `eth0`.
    package var interface: String
    /// The TCP port to which readers connect; with ``destination``, the UDP port at which they listen.
    package var port: Int
    /// The address of one reader, of a group or of all in the network, to which datagrams are sent; `nil` for readers that connect.
    package var destination: String?
    /// True if addresses may be used that can be reached from the Internet.
    package var allowsPublic = false

    /// The greatest length of an interface's name (`IFNAMSIZ`).
    private static let longestName = 15
    /// Lower ports are for root.
    private static let ports = 1024...65_535

    /// An end at a port of an interface.
    package init(interface: String, port: Int, allowsPublic: Bool = false) {
        (self.interface, self.port, self.allowsPublic) = (interface, port, allowsPublic)
    }

    /// Reads the address and the port of readers, as in `192.168.1.255:10110`, `239.192.0.1%eth0:10110` or `[fd00::1]:10110`. Without
    /// a `%` the interface is still to be found.
    package init(sendingTo text: String, allowsPublic: Bool) throws(InvalidEndpoint) {
        guard let colon = text.lastIndex(of: ":") else { throw .target(text) }
        var address = text[..<colon]
        if address.hasPrefix("["), address.hasSuffix("]") {
            address = address.dropFirst().dropLast()
        } else if address.contains(":") {
            throw .target(text)
        }
        let parts = address.split(separator: "%", omittingEmptySubsequences: false)
        let isAddress = parts[0].utf8.allSatisfy { "0123456789abcdefABCDEF.:".utf8.contains($0) } && !parts[0].isEmpty
        guard isAddress, parts.count == 1 || parts.count == 2 && Self.isInterface(parts[1]) else { throw .target(text) }
        self.init(
            interface: parts.count == 2 ? String(parts[1]) : "",
            port: try Self.port(text[text.index(after: colon)...], 1...65_535), allowsPublic: allowsPublic)
        destination = String(parts[0])
    }

    /// Reads the interface and the port, as in `eth0:10110`.
    package init(listeningAt text: String, allowsPublic: Bool) throws(InvalidEndpoint) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isInterface(parts[0]) else { throw .form(text) }
        self.init(interface: String(parts[0]), port: try Self.port(parts[1], Self.ports), allowsPublic: allowsPublic)
    }

    /// The interface and the port, as in `eth0:10110`, or the address and the port.
    package var description: String {
        guard let destination else { return "\(interface):\(port)" }
        return destination.contains(":") ? "[\(destination)]:\(port)" : "\(destination):\(port)"
    }

    /// The way to the readers, in words.
    package var way: String { destination == nil ? "TCP port \(port)" : "UDP to \(description)" }

    private static func isInterface(_ name: Substring) -> Bool {
        (1...longestName).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"/:;,*\"'\\".utf8.contains($0) }
    }

    private static func port(_ text: Substring, _ ports: ClosedRange<Int>) throws(InvalidEndpoint) -> Int {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(text), ports.contains(port)
        else { throw .port(String(text), ports) }
        return port
    }
}

/// The reason why the end of a bridge is not accepted.
package enum InvalidEndpoint: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is no interface with a port.
    case form(String)
    /// The text is no address with a port.
    case target(String)
    /// The port is not a number, or out of range.
    case port(String, ClosedRange<Int>)

    /// A sentence with the remedy.
    package var description: String {
        switch self {
        case .form(let text):
            "--listen takes the name of an interface and a port, as in eth0:10110; “\(text)” is something else. To see the "
                + "interfaces, run: ip -brief address"
        case .target(let text):
            "--to takes an address of your network and a port, as in 192.168.1.255:10110, 239.192.0.1%eth0:10110 or [fd00::1]:10110; "
                + "“\(text)” is something else."
        case .port(let text, let range):
            "“\(text)” is no port for readers; give one from \(range.lowerBound) to \(range.upperBound), as in eth0:10110."
        }
    }
}
