/// The state of a systemd unit, from `systemctl show`.
package struct UnitState: Hashable, Sendable {
    /// The queried properties.
    static let properties = [
        "Id", "LoadState", "ActiveState", "UnitFileState", "Result", "ExecMainCode", "ExecMainStatus", "StatusText",
        "Listen", "Environment",
    ]

    package var name: String
    /// The primary name of the unit, which differs for an alias.
    package var id: String
    /// `loaded`, `not-found`, `masked`, …
    package var loadState = "loaded"
    /// `active`, `inactive`, `failed`, …
    package var activeState = "active"
    /// `enabled`, `disabled`, `static`, …; empty without a unit file.
    package var unitFileState = "enabled"
    /// `success`, `exit-code`, `signal`, …
    package var result = "success"
    /// The exit code of the last process, or the signal that ended it.
    package var exitStatus: Int32 = 0
    /// True if a signal ended the last process.
    package var wasKilled = false
    /// The last status line of the service.
    package var statusText = ""
    /// The addresses at which a socket unit listens.
    package var listens: [String] = []
    /// The variables that it sets for its processes: `NAME=value`.
    package var environment: [String] = []

    package init(_ name: String) {
        (self.name, id) = (name, name)
    }

    /// Parses the output of `systemctl show` for the unit `name`.
    package init(_ name: String, shown text: String) {
        (self.name, id) = (name, name)
        loadState = ""
        activeState = ""
        unitFileState = ""
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let value = String(line[line.index(after: equals)...])
            switch line[..<equals] {
            case "Id": id = value
            case "LoadState": loadState = value
            case "ActiveState": activeState = value
            case "UnitFileState": unitFileState = value
            case "Result": result = value
            // CLD_KILLED and CLD_DUMPED of waitid(2).
            case "ExecMainCode": wasKilled = value == "2" || value == "3"
            case "ExecMainStatus": exitStatus = Int32(value) ?? 0
            case "StatusText": statusText = value
            // One line each: `/run/gpsd.sock (Stream)`.
            case "Listen": listens.append(String(value.split(separator: " ").first ?? ""))
            case "Environment": environment = value.split(separator: " ").map(String.init)
            default: break
            }
        }
    }

    /// Parses the output of `systemctl list-units --plain --no-legend`: the names, which are the first words of its lines.
    static func names(listed text: String) -> [String] {
        text.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    /// True if it is a socket unit with an address other than the path of a Unix socket.
    var opensPort: Bool { listens.contains { !$0.hasPrefix("/") } }
    package var isLoaded: Bool { loadState == "loaded" }
    package var isEnabled: Bool { unitFileState.hasPrefix("enabled") }
    package var isMasked: Bool { loadState == "masked" }
    package var isActive: Bool { ["active", "activating", "reloading"].contains(activeState) }
}
