import GPSDProtocol

/// Checks that gpsd does not answer everybody, which would make all decisions of the location service ineffective.
package struct PortCheck: Check {
    /// gpsd's assigned port.
    package static let standardPort = UInt16(GPSDAddress.defaultPort)

    /// The listening TCP ports of this machine.
    package var listeners: Evidence<[TCPListener]>
    /// gpsd's ports: the assigned one, and the configured one.
    package var ports: Set<UInt16> = [standardPort]
    /// The addresses at which the service itself answers in gpsd's protocol.
    package var served: [String] = []
    /// True if `--fix` can close them.
    package var isFixable = true

    package init(listeners: Evidence<[TCPListener]>) {
        self.listeners = listeners
    }

    /// The listeners at gpsd's ports, apart from the service itself.
    package var open: [TCPListener] {
        (listeners.value ?? []).filter { ports.contains($0.port) && !served.contains($0.description) }
    }

    package var findings: [Finding] {
        if case .hidden(let reason) = listeners { return [.notChecked(.gpsdPort, "gpsd's port", reason)] }
        guard !open.isEmpty else {
            return [
                .ok(
                    .gpsdPort,
                    served.isEmpty
                        ? "gpsd's port \(Self.standardPort) is not open"
                        : "locationd answers at gpsd's port \(Self.standardPort), and gpsd does not")
            ]
        }
        let places = open.map(\.description).joined(separator: " and ")
        let who = open.allSatisfy(\.isLoopback) ? "every local user" : "everybody whose network reaches this machine"
        return [
            .problem(
                .gpsdPort, "\(who) can ask gpsd where you are, without your permission: it listens at \(places)",
                remedy: (isFixable
                    ? "To let only locationd ask gpsd, run: sudo locationctl doctor --fix"
                    : "Make gpsd listen only at a Unix socket that only locationd may open.")
                    + "\nIf other programs need the port, run: locationctl doctor --accept gpsd.port", subject: places)
        ]
    }
}

/// A listening TCP port.
package struct TCPListener: Hashable, Sendable, CustomStringConvertible {
    /// The address as text: `127.0.0.1`, `::1`.
    package var address: String
    package var port: UInt16

    package init(address: String, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// True if only this machine can reach it.
    package var isLoopback: Bool {
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }

    package var description: String {
        let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        return address == "0.0.0.0" || address == "::" ? "\(place) (every address)" : place
    }
}
