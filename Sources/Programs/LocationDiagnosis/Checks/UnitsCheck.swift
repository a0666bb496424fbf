/// Checks that systemd listens at the service's socket and can start the service.
package struct UnitsCheck: Check {
    package var socket: Evidence<UnitState>
    package var service: Evidence<UnitState>

    package init(socket: Evidence<UnitState>, service: Evidence<UnitState>) {
        self.socket = socket
        self.service = service
    }

    package var findings: [Finding] {
        switch (socket, service) {
        case (.hidden(let reason), _), (_, .hidden(let reason)):
            [.notChecked(.serviceSocketUnit, "locationd.socket and locationd.service", reason)]
        case (.seen(let socket), .seen(let service)): [finding(ofSocket: socket), finding(ofService: service)]
        }
    }

    private func finding(ofSocket unit: UnitState) -> Finding {
        let enable = "sudo systemctl enable --now locationd.socket"
        func problem(_ found: String, _ remedy: String) -> Finding {
            .problem(.serviceSocketUnit, "locationd.socket \(found)", remedy: remedy, subject: "locationd.socket")
        }
        if unit.isMasked { return problem("is masked", "sudo systemctl unmask locationd.socket && \(enable)") }
        guard unit.isLoaded else {
            return problem(
                unit.loadState == "not-found" ? "is not installed" : "cannot be loaded (\(unit.loadState))",
                "Install the package locationd again. To see more, run: systemctl status locationd.socket")
        }
        guard unit.activeState != "failed" else {
            return problem(
                "has failed (\(unit.result)): clients are refused",
                "Solve the problem of locationd.service; then run: \(ServiceExit.restart)")
        }
        guard unit.isActive else { return problem("is not active: nobody can connect", enable) }
        guard unit.isEnabled else {
            return .advice(
                .serviceSocketUnit, "locationd.socket is active but not enabled: it will be gone after a reboot",
                remedy: enable, subject: "locationd.socket")
        }
        return .ok(.serviceSocketUnit, "locationd.socket is active and enabled", subject: "locationd.socket")
    }

    private func finding(ofService unit: UnitState) -> Finding {
        func problem(_ found: String, _ remedy: String) -> Finding {
            .problem(.serviceUnit, "locationd.service \(found)", remedy: remedy, subject: "locationd.service")
        }
        if unit.isMasked { return problem("is masked", "sudo systemctl unmask locationd.service") }
        guard unit.isLoaded else {
            return problem("is not installed", "Install the package locationd.")
        }
        guard unit.activeState == "failed" || unit.result != "success" && !unit.isActive else {
            return .ok(
                .serviceUnit,
                unit.isActive ? "locationd.service runs" : "locationd.service starts with the first client",
                subject: "locationd.service")
        }
        let said = unit.statusText.isEmpty ? "" : "\nIts last status: \(unit.statusText)"
        return problem(
            "has failed: \(ServiceExit.sentence(unit))",
            "\(ServiceExit.remedy(unit))\(said)\nTo see more, run: sudo journalctl --unit=locationd.service\nThen run: "
                + ServiceExit.restart)
    }
}

/// The exit codes of locationd(8) in words.
enum ServiceExit {
    /// The commands that start the service again. Without the first, systemd still counts the failed starts of the service,
    /// and those of the socket that came with them.
    static let restart =
        "sudo systemctl reset-failed locationd.service locationd.socket && sudo systemctl restart locationd.socket"

    /// The reason why it ended, to follow a colon.
    static func sentence(_ unit: UnitState) -> String {
        if unit.wasKilled { return "signal \(unit.exitStatus) ended it (\(unit.result))" }
        return switch unit.exitStatus {
        case 64: "the command in the unit was not understood (64)"
        case 66: "the recorded track cannot be replayed (66)"
        case 71: "the socket cannot be created (71)"
        case 74: "the state directory cannot be used (74)"
        case 78: "the configuration has a problem (78)"
        default: "it ended with \(unit.exitStatus) (\(unit.result))"
        }
    }

    static func remedy(_ unit: UnitState) -> String {
        guard !unit.wasKilled else {
            return "It was killed or stuck; if that happens again, report it with the journal."
        }
        return switch unit.exitStatus {
        case 64: "Check ExecStart= in your drop-ins: systemctl cat locationd.service"
        case 66: "Correct the path after --replay in your drop-ins: systemctl cat locationd.service"
        case 71: "Another locationd listens there, or its directory is missing or not writable."
        case 74: "/var/lib/locationd is missing, full, read-only, not the service's, or in use by another locationd."
        case 78: "locationctl config check names the file, line and key."
        default: "The journal shows what failed."
        }
    }
}
