package import LocationConfiguration
import LocationPolicy

extension LaunchCheck {
    /// Looks at the units that declarations name, and at polkit; `nil` if none does. The units of users are those of this user.
    package static func probe(_ configuration: Configuration) -> LaunchCheck? {
        let launches = configuration.clients.compactMap { client -> Launch? in
            guard let launch = client.launch else { return nil }
            let (unit, isOfSystem) =
                switch launch {
                case .system(let unit): (unit, true)
                case .user(let unit): (unit, false)
                }
            return Launch(
                client: client.identifier, file: client.file, unit: unit, isOfSystem: isOfSystem,
                state: UnitState.probe(at: unit, isOfUser: !isOfSystem))
        }
        return launches.isEmpty
            ? nil : LaunchCheck(launches: launches, hasRule: FileLook.isPolkitRule("60-locationd-launch.rules"))
    }
}
