import LocationConfiguration
import POSIXSupport

extension GeoClueCheck {
    private static let name = "org.freedesktop.GeoClue2"

    /// Asks the system bus for the owner of the name, and systemd for the unit that is started for it.
    package static func probe() -> GeoClueCheck {
        var check = GeoClueCheck(owner: findOwner())
        // GeoClue's own service file takes precedence over locationd's, and names another unit.
        let unit = UnitState.probe(at: GeoClueAlias.isGeoClueInstalled ? "geoclue.service" : "dbus-\(name).service")
        check.isStartedByBus = unit.value?.id == "locationd.service"
        return check
    }

    private static func findOwner() -> Evidence<Owner> {
        switch SystemBusQuery.isRunning(name) {
        case .hidden(let reason): return .hidden(reason)
        case .seen(false): return .seen(.nobody)
        case .seen(true): break
        }
        guard let process = SystemBusQuery.askBus("GetConnectionUnixProcessID", name)?.split(separator: " ").last else {
            return .seen(.nobody)
        }
        let unit = UnitState.ofProcess(String(process)) ?? "process \(process)"
        return .seen(unit == "locationd.service" ? .locationd : .other(unit))
    }
}

extension UnitState {
    /// The service unit of a process, from its control group.
    fileprivate static func ofProcess(_ process: String) -> String? {
        // The line of the unified hierarchy; the others belong to the older version.
        let line = SmallFile.text("/proc/\(process)/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }
        guard let name = line?.split(separator: "/").last, name.hasSuffix(".service") else { return nil }
        return String(name)
    }
}
