import Glibc
package import LocationConfiguration
import LocationPolicy

extension ConfigurationCheck {
    /// Reads the configuration like the service, and the permissions of its files. The configuration is `nil` if it cannot
    /// be read or is invalid.
    ///
    /// - Parameter isSystem: true for the system's configuration, which only root may own; false for one that may belong to
    ///   the user of doctor.
    package static func probe(file: String, isSystem: Bool) -> (
        check: ConfigurationCheck, configuration: Configuration?
    ) {
        var check: ConfigurationCheck
        var configuration: Configuration?
        do {
            let loaded = try Configuration.load(leavingOutUnreadable: file)
            check = ConfigurationCheck(file: file, problems: .seen(loaded.problems.map(\.description)))
            check.unreadable = loaded.unreadableDropIns
            configuration = loaded
        } catch {
            let isHidden = geteuid() != 0 && FileLook.at(file) == .failed(EACCES)
            check = ConfigurationCheck(
                file: file, problems: isHidden ? .hidden("needs root") : .seen(error.problems.map(\.description)))
        }
        check.exists = FileLook.at(file) != .absent
        if !isSystem { check.trustedOwners.insert(geteuid()) }
        let directories = configuration?.daemon.clientDirectories ?? DaemonConfiguration().clientDirectories
        check.places = places(above: [file, Configuration.dropInDirectory(of: file)] + (directories ?? []))
        return (check, configuration)
    }

    /// The paths and the directories above them, if they exist. The files in client and drop-in directories are checked when
    /// they are read.
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
    /// Gathers the evidence about the programs, units and users in the declarations.
    package static func probe(_ configuration: Configuration, isSandboxed: Bool) -> DeclarationsCheck {
        var check = DeclarationsCheck(clients: configuration.clients)
        check.hiddenFiles = configuration.hiddenFiles
        check.isSandboxed = isSandboxed
        for match in configuration.clients.map(\.match) {
            if let path = match.executable { check.programs[path] = ProgramEvidence.probe(at: path) }
            if let unit = match.systemdUnit { check.units[unit] = UnitState.probe(at: unit) }
            for user in match.users ?? [] where getpwuid(user) == nil { check.unknownUsers.insert(user) }
        }
        return check
    }
}

extension AgentsCheck {
    /// Gathers the evidence about the agents.
    package static func probe(_ configuration: Configuration, isSandboxed: Bool) -> AgentsCheck {
        var check = AgentsCheck(agents: configuration.daemon.agents)
        check.isSandboxed = isSandboxed
        for path in check.agents { check.programs[path] = ProgramEvidence.probe(at: path) }
        return check
    }
}
