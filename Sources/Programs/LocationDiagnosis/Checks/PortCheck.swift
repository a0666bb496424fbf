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
    /// The programs that hold listeners at gpsd's ports, as far as they are known.
    package var holders: [TCPListener: PortHolder] = [:]
    /// The service's unit for the port, if it is to have the port and does not: its state, `failed` or `inactive`.
    package var unserved: String?
    /// True if `--fix` can close them.
    package var isFixable = true

    /// The listeners at gpsd's ports, apart from the service itself.
    package var open: [TCPListener] {
        (listeners.value ?? []).filter { ports.contains($0.port) && !served.contains($0.description) }
    }

    /// The listeners at gpsd's ports of programs other than gpsd. Programs of gpsd take them for it.
    package var foreign: [(listener: TCPListener, holder: PortHolder)] {
        open.compactMap { listener in holders[listener].flatMap { $0.isOfGPSD ? nil : (listener, $0) } }
    }

    package var findings: [Finding] {
        if case .hidden(let reason) = listeners { return [.notChecked(.gpsdPort, "gpsd's port", reason)] }
        let foreign = foreign
        let own = open.filter { listener in !foreign.contains { $0.listener == listener } }
        let others = foreign.map { listener, holder in
            Finding.problem(
                .gpsdPort, "\(holder) listens at gpsd's port (\(listener)), and gpsd's programs take it for gpsd",
                remedy: holder.remedy(port: listener.port), subject: listener.description)
        }
        return others + (own.isEmpty && !others.isEmpty ? [] : findings(about: own))
    }

    /// The findings about listeners that are gpsd's.
    private func findings(about open: [TCPListener]) -> [Finding] {
        guard !open.isEmpty else {
            if let unserved {
                return .problem(
                    .gpsdPort, "nothing answers at gpsd's port: \(GPSDPort.unitName) is \(unserved)",
                    remedy: "To give the port to locationd, run: sudo locationctl gpsd on")
            }
            return .ok(
                .gpsdPort,
                served.isEmpty
                    ? "gpsd's port \(Self.standardPort) is not open"
                    : "locationd answers at gpsd's port \(Self.standardPort), and gpsd does not")
        }
        let places = open.map(\.description).joined(separator: " and ")
        let who = open.allSatisfy(\.isLoopback) ? "every local user" : "everybody whose network reaches this machine"
        return .problem(
            .gpsdPort, "\(who) can ask gpsd where you are, without your permission: it listens at \(places)",
            remedy: (isFixable
                ? "To let only locationd ask gpsd, run: sudo locationctl doctor --fix"
                : "Make gpsd listen only at a Unix socket that only locationd may open.")
                + "\nIf other programs need the port, run: locationctl doctor --accept gpsd.port", subject: places)
    }
}

/// The program that holds a listening socket.
package struct PortHolder: Hashable, Sendable, CustomStringConvertible {
    private let name: String
    /// The process; `nil` if it is hidden from this user.
    package let processID: Int32?
    /// The user who opened the socket.
    package let userID: UInt32

    package init(_ process: (name: String, id: Int32)?, userID: UInt32) {
        (name, processID, self.userID) = (process?.name ?? "", process?.id, userID)
    }

    /// True if it may be gpsd, or systemd, which listens for it. Both open their sockets as root; one whose process is hidden is
    /// foreign if a person has opened it.
    package var isOfGPSD: Bool {
        guard processID != nil else { return !Account.isPerson(userID) }
        return ["gpsd", "systemd", "init"].contains(name)
    }

    package var description: String {
        let user = Account.userName(userID)
        return processID.map { "\(name) (process \($0) of user \(user))" } ?? "a program of user \(user)"
    }

    /// The commands that end it, and then put things in order.
    func remedy(port: UInt16) -> String {
        let find = "To see which program it is, run: sudo ss --listening --tcp --processes 'sport = :\(port)'"
        return (processID.map { "If it should not, run: sudo kill \($0)" } ?? find)
            + "\nThen run: sudo locationctl doctor --fix"
    }
}

package struct TCPListener: Hashable, Sendable, CustomStringConvertible {
    /// The address as text: `127.0.0.1`, `::1`.
    package var address: String
    package var port: UInt16

    /// True if only this machine can reach it.
    package var isLoopback: Bool {
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }

    package var description: String {
        let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        return address == "0.0.0.0" || address == "::" ? "\(place) (every address)" : place
    }
}
