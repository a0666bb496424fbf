/// Whether gpsd answers everybody: then nothing that the location service decides protects anybody.
package struct PortCheck: Check {
    /// gpsd's own port.
    package static let standardPort: UInt16 = 2947

    /// Every TCP port of this machine that somebody listens at.
    package var listeners: Evidence<[TCPListener]>
    /// The ports that are gpsd's: its own, and the one in the configuration.
    package var ports: Set<UInt16> = [standardPort]
    /// Whether `--fix` closes it.
    package var isMendable = true

    package init(listeners: Evidence<[TCPListener]>) {
        self.listeners = listeners
    }

    /// The listeners that let go round every decision.
    package var open: [TCPListener] { (listeners.value ?? []).filter { ports.contains($0.port) } }

    package var findings: [Finding] {
        if case .hidden(let reason) = listeners { return [.notLookedAt(.gpsdPort, "gpsd's port", reason)] }
        guard !open.isEmpty else {
            return [.ok(.gpsdPort, "gpsd's port \(Self.standardPort) is not open")]
        }
        let places = open.map(\.description).joined(separator: " and ")
        let who = open.allSatisfy(\.isLoopback) ? "every local user" : "everybody whose network reaches this machine"
        return [
            .problem(
                .gpsdPort, "\(who) can ask gpsd where you are, whatever is decided here: it listens at \(places)",
                remedy: isMendable
                    ? "sudo locationctl doctor --fix puts gpsd behind a Unix socket that only locationd may open."
                    : "Have gpsd listen at a Unix socket that only locationd may open, and at nothing else.")
        ]
    }
}

/// A TCP port that somebody listens at.
package struct TCPListener: Hashable, Sendable, CustomStringConvertible {
    /// In text: `127.0.0.1`, `::1`.
    package var address: String
    package var port: UInt16

    package init(address: String, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Whether only this machine reaches it.
    package var isLoopback: Bool {
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }

    package var description: String {
        let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        return address == "0.0.0.0" || address == "::" ? "\(place) (every address)" : place
    }
}
