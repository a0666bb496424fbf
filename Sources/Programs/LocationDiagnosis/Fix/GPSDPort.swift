/// gpsd's port in the hands of the location service, which answers there in gpsd's protocol: the socket unit that gives it the
/// port, and the commands that start and stop that.
package struct GPSDPort: Sendable {
    package static let unitName = "locationd-gpsd.socket"

    /// The socket unit.
    package var unit: Evidence<UnitState>
    /// True if the service runs.
    package var isServiceActive = false

    package init(unit: Evidence<UnitState>) { self.unit = unit }

    /// The state of this machine.
    package static func probe() -> GPSDPort {
        var port = GPSDPort(unit: UnitState.probe(at: unitName))
        port.isServiceActive = UnitState.probe(at: "locationd.service").value?.isActive ?? false
        return port
    }

    package var isInstalled: Bool { unit.value?.isLoaded ?? false }
    /// True if the service has the port.
    package var isOn: Bool { unit.value.map { $0.isLoaded && $0.isActive } ?? false }
    /// True if the service is to have the port and does not: its unit has failed, or is to be started with the machine.
    package var isMissing: Bool {
        unit.value.map { $0.isLoaded && !$0.isActive && ($0.activeState == "failed" || isEnabled) } ?? false
    }
    /// True if the unit is started with the machine.
    package var isEnabled: Bool { unit.value?.unitFileState == "enabled" }
    /// The addresses of the service at the port, as in `127.0.0.1:2947`; empty while it does not have the port.
    package var listens: [String] { isOn ? unit.value?.listens ?? [] : [] }

    /// The commands that give the port to the service: arguments of systemctl. A service that runs has to start again, because
    /// it is passed its sockets at its start. Its own socket stops meanwhile, so that no client starts it in between.
    package var turnOn: [[String]] {
        // Enabled first: a start that fails is repeated with the machine's.
        forgetStarts
            + [["enable", Self.unitName], ["stop", "locationd.socket", "locationd.service"]]
            + [["start", Self.unitName, "locationd.socket"]]
            + (isServiceActive ? [["start", "locationd.service"]] : [])
    }

    /// The commands that take the port from the service, which lets go of it when it starts again.
    package var turnOff: [[String]] {
        [["disable", "--now", Self.unitName]] + forgetStarts + [["try-restart", "locationd.service"]]
    }

    /// Has systemd count the starts of a running service from 0, so that switching several times within seconds does not reach
    /// its limit.
    private var forgetStarts: [[String]] { isServiceActive ? [["reset-failed", "locationd.service"]] : [] }
}
