/// Whether gpsd is there and answers, and whether it answers the location service.
package struct GPSDCheck: Check {
    /// Where the service asks for fixes.
    package enum Address: Hashable, Sendable, CustomStringConvertible {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
        /// A recorded track instead of a gpsd.
        case replay(String)

        /// True when it does not leave the machine.
        package var isLocal: Bool {
            switch self {
            case .unix, .replay: true
            case .tcp(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
            }
        }

        package var description: String {
            switch self {
            case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unix(let path): path
            case .replay(let name): name
            }
        }
    }

    /// What came of asking it.
    package enum Answer: Hashable, Sendable {
        /// It answered; its release.
        case release(String)
        case refused
        case noSuchSocket
        /// The socket's permissions, or those of a directory above it, keep this user out.
        case noPermission
        /// It closed the connection before it said a word.
        case closedAtOnce
        /// It said nothing for as long as was waited.
        case silent
        /// Somebody answered who is no gpsd.
        case notGPSD
        /// Another reason, as the system says it.
        case failed(String)
    }

    /// What the location service itself hears of it.
    package enum ServiceView: Hashable, Sendable {
        case connected
        /// The reason why it is not, as a sentence.
        case failed(String)
        /// It does not need it now, or cannot be asked.
        case unknown
    }

    package var address: Address
    package var answer: Answer
    package var isInstalled = true
    package var socketUnit = Evidence.seen(UnitState("gpsd.socket"))
    /// The socket's file, where it is a Unix socket that can be looked at.
    package var socketFile: FileStatus?
    /// The user that the service runs as; `nil` where that is not the system's service.
    package var service: ProcessIdentity?
    package var serviceView = ServiceView.unknown

    package init(address: Address, answer: Answer) {
        self.address = address
        self.answer = answer
    }

    package var findings: [Finding] {
        if case .replay(let name) = address {
            return [.ok(.gpsdReachable, "locationd plays \(name) instead of asking gpsd")]
        }
        if !isInstalled, address.isLocal, !isAnswered {
            return [
                .problem(
                    .gpsdInstalled, "gpsd is not installed",
                    remedy: "Install it (Debian: apt-get install gpsd) and plug the receiver in.")
            ]
        }
        return [reachable] + socketFindings
    }

    private var isAnswered: Bool { if case .release = answer { true } else { false } }

    private var reachable: Finding {
        switch answer {
        case .release(let release):
            if case .failed(let reason) = serviceView {
                .problem(
                    .gpsdReachable, "gpsd \(release) answers you at \(address), and not locationd: \(reason)",
                    remedy: "The service reaches this machine only, and files that its user may open: see its drop-ins "
                        + "(systemctl cat locationd.service).")
            } else {
                .ok(.gpsdReachable, "gpsd \(release) answers at \(address)")
            }
        case .refused:
            .problem(.gpsdReachable, "nobody listens at \(address)", remedy: startingIt)
        case .noSuchSocket:
            .problem(.gpsdReachable, "there is no socket at \(address)", remedy: startingIt)
        case .noPermission:
            withoutPermission
        case .closedAtOnce:
            .problem(
                .gpsdReachable,
                "gpsd at \(address) closes the connection at once: it has as many clients as it takes, 64",
                remedy: "End programs that ask gpsd themselves; they are shown by: ss --tcp --processes dport = :gpsd")
        case .silent:
            .problem(
                .gpsdReachable, "gpsd at \(address) takes connections and says nothing",
                remedy: "A receiver may be holding it up. Start it anew: systemctl restart gpsd.service")
        case .notGPSD:
            .problem(
                .gpsdReachable, "what answers at \(address) is not gpsd",
                remedy: "Correct GPSD in locationd.plist, or end the program that listens there.")
        case .failed(let reason):
            .problem(
                .gpsdReachable, "gpsd at \(address) cannot be reached: \(reason)",
                remedy: "Correct GPSD in locationd.plist: it says where gpsd listens.")
        }
    }

    /// That this user is kept out is as it should be, if the service is not.
    private var withoutPermission: Finding {
        switch serviceView {
        case .connected: .ok(.gpsdReachable, "gpsd answers locationd at \(address), and not you")
        case .failed(let reason):
            .problem(
                .gpsdReachable, reason,
                remedy:
                    "See systemctl status gpsd.socket gpsd.service, and whether GPSD in locationd.plist says where it "
                    + "listens.")
        case .unknown: .notLookedAt(.gpsdReachable, "whether gpsd answers at \(address)", "needs root")
        }
    }

    /// What makes gpsd listen there.
    private var startingIt: String {
        guard address.isLocal else { return "Start gpsd on that machine, or correct GPSD in locationd.plist." }
        guard let unit = socketUnit.value, unit.isLoaded || unit.isMasked else {
            return "Start gpsd, or correct GPSD in locationd.plist: it says where gpsd listens."
        }
        if unit.isMasked { return "systemctl unmask gpsd.socket && systemctl enable --now gpsd.socket" }
        guard unit.isActive else {
            return unit.activeState == "failed"
                ? "gpsd.socket has failed: systemctl status gpsd.socket says why."
                : "systemctl enable --now gpsd.socket"
        }
        let places = unit.listens.joined(separator: ", ")
        return "gpsd.socket listens at \(places.isEmpty ? "another place" : places): correct GPSD in locationd.plist."
    }

    /// Whether the service, not only whoever runs doctor, may open a Unix socket.
    private var socketFindings: [Finding] {
        guard case .unix = address, let socketFile, let service else { return [] }
        guard socketFile.permits(.write, to: service) else {
            return [
                .problem(
                    .gpsdSocket, "locationd may not open \(address): it is \(socketFile.words)",
                    remedy: "Set SocketUser=locationd in a drop-in of the unit that listens there "
                        + "(systemctl edit gpsd.socket) and restart it.")
            ]
        }
        guard socketFile.mode & 0o006 == 0 else {
            return [
                .problem(
                    .gpsdSocket, "every local user can ask gpsd where you are: \(address) is \(socketFile.words)",
                    remedy: "Set SocketMode=0600 in a drop-in of the unit that listens there "
                        + "(systemctl edit gpsd.socket) and restart it.")
            ]
        }
        return [.ok(.gpsdSocket, "\(address) is \(socketFile.words)")]
    }
}
