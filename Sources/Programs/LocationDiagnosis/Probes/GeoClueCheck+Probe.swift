import Glibc
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
        guard let answer = ask("NameHasOwner") else { return .hidden("the system bus cannot be asked") }
        guard answer == "b true" else { return .seen(.nobody) }
        guard let process = ask("GetConnectionUnixProcessID")?.split(separator: " ").last else { return .seen(.nobody) }
        let unit = UnitState.ofProcess(String(process)) ?? "process \(process)"
        return .seen(unit == "locationd.service" ? .locationd : .other(unit))
    }

    /// The reply of a method of the bus itself about the name, as busctl(1) prints it.
    private static func ask(_ method: String) -> String? {
        guard let busctl = Command.path(of: "busctl") else { return nil }
        let bus = "org.freedesktop.DBus"
        let result = try? Command.run(
            [busctl, "--system", "call", bus, "/org/freedesktop/DBus", bus, method, "s", name])
        guard let result, result.code == 0 else { return nil }
        return result.output.split(separator: "\n").first.map(String.init)
    }
}

extension UnitState {
    /// The service unit of a process, from its control group.
    fileprivate static func ofProcess(_ process: String) -> String? {
        guard let file = fopen("/proc/\(process)/cgroup", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            // The line of the unified hierarchy; the others belong to the older version.
            guard text.hasPrefix("0::"), let name = text.dropLast().split(separator: "/").last else { continue }
            return name.hasSuffix(".service") ? String(name) : nil
        }
        return nil
    }
}
