/// The end of a bridge: where whoever is in a network of this machine gets the position, without encryption or a password.
package struct BridgeEndpoint: Codable, Hashable, Sendable {
    /// The name of the interface that leads to the network, such as `eth0`.
    package var interface: String
    /// The TCP port to which readers connect.
    package var port: Int
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

    /// Reads the interface and the port, as in `eth0:10110`.
    package init(listeningAt text: String, allowsPublic: Bool) throws(InvalidEndpoint) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isInterface(parts[0]) else { throw .form(text) }
        self.init(interface: String(parts[0]), port: try Self.port(parts[1]), allowsPublic: allowsPublic)
    }

    /// The interface and the port, as in `eth0:10110`.
    package var description: String { "\(interface):\(port)" }

    private static func isInterface(_ name: Substring) -> Bool {
        (1...longestName).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"/:;,*\"'\\".utf8.contains($0) }
    }

    private static func port(_ text: Substring) throws(InvalidEndpoint) -> Int {
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
    /// The port is none, or out of range.
    case port(String, ClosedRange<Int>)

    /// A sentence with the remedy.
    package var description: String {
        switch self {
        case .form(let text):
            "--listen takes the name of an interface and a port, as in eth0:10110; “\(text)” is something else. To see the "
                + "interfaces, run: ip -brief address"
        case .port(let text, let range):
            "“\(text)” is no port for readers; give one from \(range.lowerBound) to \(range.upperBound), as in eth0:10110."
        }
    }
}
