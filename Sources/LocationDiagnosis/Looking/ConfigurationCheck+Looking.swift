import Glibc
package import LocationConfiguration
import LocationPolicy

extension ConfigurationCheck {
    /// Reads the configuration as the service would, and looks at who could change it. The configuration is `nil` where it
    /// cannot be read or has a mistake that keeps it from being used.
    ///
    /// - Parameter isSystem: whether it is the system's, which only root may change; others belong to whoever runs doctor.
    package static func look(file: String, isSystem: Bool) -> (check: ConfigurationCheck, configuration: Configuration?)
    {
        var check: ConfigurationCheck
        var configuration: Configuration?
        do {
            let loaded = try Configuration.load(file: file, keeping: nil)
            check = ConfigurationCheck(file: file, problems: .seen(loaded.problems.map(\.description)))
            configuration = loaded
        } catch {
            let isHidden = geteuid() != 0 && FileLook.at(file) == .failed(EACCES)
            check = ConfigurationCheck(
                file: file, problems: isHidden ? .hidden("needs root") : .seen(error.problems.map(\.description)))
        }
        check.exists = FileLook.at(file) != .absent
        if !isSystem { check.trustedOwners.insert(geteuid()) }
        let directories = configuration?.daemon.clientDirectories ?? DaemonConfiguration().clientDirectories
        check.places = places(above: [file] + directories)
        return (check, configuration)
    }

    /// Paths and every directory above them that exists. What is inside the client directories is looked at as it is read.
    private static func places(above paths: [String]) -> [Place] {
        var seen: Set<String> = []
        var places: [Place] = []
        for path in paths {
            var place = ""
            for part in path.split(separator: "/") {
                place += "/" + part
                guard seen.insert(place).inserted, let status = FileLook.at(place).status else { continue }
                places.append(Place(path: place, status: status))
            }
        }
        return places
    }
}

extension DeclarationsCheck {
    /// Looks at what the declarations of a configuration name.
    package static func look(_ configuration: Configuration, isSandboxed: Bool) -> DeclarationsCheck {
        var check = DeclarationsCheck(clients: configuration.clients)
        check.hiddenFiles = configuration.hiddenFiles
        check.isSandboxed = isSandboxed
        for match in configuration.clients.map(\.match) {
            if let path = match.executable { check.programs[path] = ProgramEvidence.look(at: path) }
            if let unit = match.systemdUnit { check.units[unit] = UnitState.look(at: unit) }
            for user in match.users ?? [] where getpwuid(user) == nil { check.unknownUsers.insert(user) }
        }
        return check
    }
}

extension AgentsCheck {
    /// Looks at the agents of a configuration.
    package static func look(_ configuration: Configuration, isSandboxed: Bool) -> AgentsCheck {
        var check = AgentsCheck(agents: configuration.daemon.agents)
        check.isSandboxed = isSandboxed
        for path in check.agents { check.programs[path] = ProgramEvidence.look(at: path) }
        return check
    }
}
