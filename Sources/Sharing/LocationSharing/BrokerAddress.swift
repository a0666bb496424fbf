import WiFiPositioning

/// The address of a broker: `mqtts://HOST:PORT`, `mqtt://HOST:PORT` or the path of its socket on this machine.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The way to the broker.
    package enum Way: Hashable, Sendable {
        case tls
        case plain
        case socket
    }

    /// The way to the broker.
    package let way: Way
    /// The name or the address of the broker; the path of its socket.
    package let host: String
    /// The TCP port; 0 for a socket.
    package let port: Int

    /// The longest path of a socket in bytes (`sun_path`).
    private static let longestPath = 107

    /// The address, with the port.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return switch way {
        case .tls: "mqtts://\(name):\(port)"
        case .plain: "mqtt://\(name):\(port)"
        case .socket: host
        }
    }

    /// Reads an address; `nil` if it is none. Without a port that of MQTT counts: 8883, or 1883 without TLS.
    package init?(_ text: String) {
        if text.hasPrefix("/") {
            let isPath = text.utf8.count <= Self.longestPath && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
            guard isPath, !text.hasSuffix("/") else { return nil }
            (way, host, port) = (.socket, text, 0)
            return
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "mqtts" || scheme == "mqtt" else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard rest.hasPrefix("://"), let address = try? ServerAddress("https" + rest),
            rest.dropFirst(3).lowercased() == address.name
        else { return nil }
        way = scheme == "mqtts" ? .tls : .plain
        var name = Substring(address.name)
        var port = way == .tls ? 8883 : 1883
        if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") {
            guard let number = Int(name[name.index(after: colon)...]) else { return nil }
            (name, port) = (name[..<colon], number)
        }
        host = String(name.drop { $0 == "[" }.prefix { $0 != "]" })
        self.port = port
    }
}
