/// A unit of systemd as `systemctl show` tells of it.
package struct UnitState: Hashable, Sendable {
    /// The properties that are asked for.
    static let properties = [
        "Id", "LoadState", "ActiveState", "UnitFileState", "Result", "ExecMainCode", "ExecMainStatus", "StatusText",
        "Listen",
    ]

    package var name: String
    /// The name of the unit that this is another name of; otherwise its own.
    package var id: String
    /// `loaded`, `not-found`, `masked`, …
    package var loadState = "loaded"
    /// `active`, `inactive`, `failed`, …
    package var activeState = "active"
    /// `enabled`, `disabled`, `static`, …; empty where there is no unit file.
    package var unitFileState = "enabled"
    /// `success`, `exit-code`, `signal`, …
    package var result = "success"
    /// How the last process ended: the exit code, or the signal that ended it.
    package var exitStatus: Int32 = 0
    package var wasKilled = false
    /// What the service said of itself last.
    package var statusText = ""
    /// What a socket unit listens on.
    package var listens: [String] = []

    package init(_ name: String) {
        (self.name, id) = (name, name)
    }

    /// Reads what `systemctl show` printed for the unit called `name`.
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
            default: break
            }
        }
    }

    package var isLoaded: Bool { loadState == "loaded" }
    package var isMasked: Bool { loadState == "masked" }
    package var isActive: Bool { ["active", "activating", "reloading"].contains(activeState) }
}
