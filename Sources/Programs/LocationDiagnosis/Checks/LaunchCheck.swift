/// Checks that the units which declarations name as `Launch` can be started.
package struct LaunchCheck: Check {
    /// A declaration that names a unit.
    package struct Launch: Sendable {
        package var client: String
        package var file: String
        package var unit: String
        /// True for a unit of the system's service manager, false for one of each user's.
        package var isOfSystem: Bool
        package var state: Evidence<UnitState>
    }

    /// Not empty.
    package var launches: [Launch]
    /// True if polkit's rule is in force; `nil` if that cannot be seen.
    package var hasRule: Bool?

    package var findings: [Finding] {
        let found = rule + launches.flatMap(finding)
        return found.isEmpty ? [.ok(.clientLaunch, "\(launches.count) can be started for an event")] : found
    }

    private var rule: [Finding] {
        guard launches.contains(where: \.isOfSystem), hasRule == false else { return [] }
        return .problem(
            .clientLaunch, "polkit does not let the service start programs", remedy: Remedy.reinstall)
    }

    private func finding(_ launch: Launch) -> [Finding] {
        let key = "Launch.\(launch.isOfSystem ? "SystemdUnit" : "UserUnit") in \(launch.file)"
        switch launch.state {
        case .hidden(let reason): return [.notChecked(.clientLaunch, "\(launch.unit) of \(launch.client)", reason)]
        case .seen(let unit):
            let found: String
            if unit.isMasked {
                found = "it is masked"
            } else if !unit.isLoaded {
                found = "there is no such unit"
            } else if unit.id != launch.unit {
                // polkit is given the primary name.
                found = "its primary name is \(unit.id)"
            } else {
                return []
            }
            return .problem(
                .clientLaunch, "\(launch.client) cannot be started by \(launch.unit): \(found)",
                remedy: "Install the unit, or correct \(key).", subject: launch.file)
        }
    }
}
