package import GPSDProtocol

/// Checks that gpsd is installed, runs, and answers the location service.
package struct GPSDCheck: Check {
    /// The result of asking gpsd.
    package enum Answer: Hashable, Sendable {
        /// It answered with its release.
        case release(String)
        case refused
        case noSuchSocket
        /// The permissions of the socket or of a directory above it exclude this user.
        case noPermission
        /// It closed the connection without an answer.
        case closedAtOnce
        /// It did not answer in time.
        case silent
        /// The location service itself answered, in gpsd's protocol.
        case locationService
        /// Another program answered.
        case notGPSD
        /// Another error of the system.
        case failed(String)
    }

    /// The location service's own connection to gpsd.
    package enum ServiceView: Hashable, Sendable {
        case connected
        /// It is not connected, with the reason as a sentence.
        case failed(String)
        /// It does not need gpsd now, or cannot be asked.
        case unknown
    }

    /// The command that starts gpsd again. Receivers that were plugged in while it ran are passed to it by units of their own,
    /// which have to start again after it.
    package static let restart = "sudo systemctl restart gpsd.service && \(restartReceivers)"
    /// The same with its sockets, for which its settings have changed.
    package static let restartWithSocket = "sudo systemctl restart gpsd.socket gpsd.service && \(restartReceivers)"
    private static let restartReceivers = "sudo systemctl restart 'gpsdctl@*'"

    package var address: GPSDAddress
    /// The name of the recorded track that the service replays instead of asking gpsd.
    package var replayed: String?
    package var answer: Answer
    package var isInstalled = true
    package var socketUnit = Evidence.seen(UnitState("gpsd.socket"))
    /// The file of a Unix socket, if its status can be read.
    package var socketFile: FileStatus?
    /// The user of the service; `nil` unless it is the system's service.
    package var service: ProcessIdentity?
    package var serviceView = ServiceView.unknown
    /// The release of the gpsd that the service is connected to; `nil` if it is not known.
    package var serviceRelease: String?
    /// The sources that make gpsd dispensable, as a noun; `nil` if it is wanted.
    package var substitute: String?

    package init(address: GPSDAddress, answer: Answer) {
        self.address = address
        self.answer = answer
    }

    package var findings: [Finding] {
        if let replayed {
            return [.ok(.gpsdReachable, "locationd replays \(replayed) instead of asking gpsd")]
        }
        if !isInstalled, address.isLocal, !isAnswered {
            if let substitute {
                return [.ok(.gpsdInstalled, "gpsd is not installed, and not needed: locations come from \(substitute)")]
            }
            return .problem(
                .gpsdInstalled, "gpsd is not installed",
                remedy: "To install it on Debian, run: sudo apt install gpsd\nThen plug in the receiver.")
        }
        if let substitute, answer == .refused || answer == .noSuchSocket {
            return .ok(
                .gpsdReachable,
                "gpsd does not run at \(address), and is not needed: locations come from \(substitute)")
        }
        return [reachable] + socketFindings
    }

    private var isAnswered: Bool { if case .release = answer { true } else { false } }

    private var reachable: Finding {
        switch answer {
        case .release(let release):
            if case .failed(let reason) = serviceView {
                .problem(
                    .gpsdReachable, "gpsd \(release) at \(address) answers you, but not locationd: \(reason)",
                    remedy:
                        "The unit lets the service connect only to this machine, and to sockets that its user may open. To see it, "
                        + "run: systemctl cat locationd.service")
            } else {
                .ok(.gpsdReachable, "gpsd \(release) answers at \(address)")
            }
        case .refused:
            .problem(.gpsdReachable, "nothing listens at \(address)", remedy: startingIt)
        case .noSuchSocket:
            .problem(.gpsdReachable, "there is no socket at \(address)", remedy: startingIt)
        case .noPermission:
            withoutPermission
        case .closedAtOnce:
            .problem(
                .gpsdReachable,
                "gpsd at \(address) closes the connection at once: it has reached its limit of 64 clients",
                remedy:
                    "End programs that ask gpsd directly. To list them, run: sudo ss --tcp --processes dport = :gpsd")
        case .silent:
            .problem(
                .gpsdReachable, "gpsd at \(address) accepts connections and does not answer",
                remedy: "A receiver may be blocking it. To restart it, run: \(Self.restart)")
        case .notGPSD:
            .problem(
                .gpsdReachable, "the program that answers at \(address) is not gpsd",
                remedy: "Correct GPSD in locationd.plist, or end the program that listens there.")
        case .locationService:
            .problem(
                .gpsdReachable, "locationd itself answers at \(address), so it would ask itself where you are",
                remedy:
                    "Set GPSD in locationd.plist to the address at which gpsd listens. To see it, run: "
                    + "systemctl status gpsd.socket")
        case .failed(let reason):
            .problem(
                .gpsdReachable, "gpsd at \(address) cannot be reached: \(reason)",
                remedy: "Correct GPSD in locationd.plist: it is the address at which gpsd listens.")
        }
    }

    /// The finding for a user without permission, which is as intended if the service has it.
    private var withoutPermission: Finding {
        switch serviceView {
        case .connected: .ok(.gpsdReachable, "\(gpsd) at \(address) answers locationd, and is closed to you")
        case .failed(let reason):
            .problem(
                .gpsdReachable, reason,
                remedy:
                    "GPSD in locationd.plist has to be the address at which gpsd listens. To see its state, run: "
                    + "systemctl status gpsd.socket gpsd.service")
        case .unknown: .notChecked(.gpsdReachable, "whether gpsd answers at \(address)", "needs root")
        }
    }

    private var gpsd: String { serviceRelease.map { "gpsd \($0)" } ?? "gpsd" }

    /// The release of gpsd, as this program or the service has it from gpsd; `nil` if it is not known.
    package var release: String? { if case .release(let release) = answer { release } else { serviceRelease } }

    /// True if its socket in the file system is open to every user.
    package var isSocketOpen: Bool {
        if case .unix = address, let socketFile { socketFile.mode & 0o006 != 0 } else { false }
    }

    /// The remedy if gpsd does not listen there.
    private var startingIt: String {
        guard address.isLocal else { return "Start gpsd on that machine, or correct GPSD in locationd.plist." }
        guard let unit = socketUnit.value, unit.isLoaded || unit.isMasked else {
            return "Start gpsd, or correct GPSD in locationd.plist: it is the address at which gpsd listens."
        }
        if unit.isMasked {
            return "To start it, run: sudo systemctl unmask gpsd.socket && sudo systemctl enable --now gpsd.socket"
        }
        guard unit.isActive else {
            return unit.activeState == "failed"
                ? "gpsd.socket has failed. To see why, run: systemctl status gpsd.socket"
                : "To start it, run: sudo systemctl enable --now gpsd.socket"
        }
        let places = unit.listens.joined(separator: ", ")
        return "gpsd.socket listens at \(places.isEmpty ? "another address" : places): correct GPSD in locationd.plist."
    }

    /// The findings about the permissions of a Unix socket, for the service and for others.
    private var socketFindings: [Finding] {
        guard case .unix = address, let socketFile, let service else { return [] }
        guard socketFile.permits(.write, to: service) else {
            return .problem(
                .gpsdSocket, "locationd may not open \(address): it is \(socketFile.words)",
                remedy: "Set SocketUser=locationd in a drop-in of the unit that listens there "
                    + "(sudo systemctl edit gpsd.socket). Then run: \(Self.restartWithSocket)")
        }
        guard socketFile.mode & 0o006 == 0 else {
            return .problem(
                .gpsdSocket, "every local user can ask gpsd where you are: \(address) is \(socketFile.words)",
                remedy: "Set SocketMode=0600 in a drop-in of the unit that listens there "
                    + "(sudo systemctl edit gpsd.socket). Then run: \(Self.restartWithSocket)")
        }
        return [.ok(.gpsdSocket, "\(address) is \(socketFile.words)")]
    }
}
