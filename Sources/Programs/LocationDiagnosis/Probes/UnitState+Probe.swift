import Glibc
import POSIXSupport

extension UnitState {
    /// The reason why units cannot be queried; `nil` if they can.
    package static var obstacle: String? {
        // sd_booted(3)
        guard access("/run/systemd/system", F_OK) == 0 else { return "systemd is not the init system here" }
        return Command.path(of: "systemctl") == nil ? "systemctl is not installed" : nil
    }

    /// Queries the state of a unit, of the system's service manager or of this user's own.
    package static func probe(at name: String, isOfUser: Bool = false) -> Evidence<UnitState> {
        if let obstacle { return .hidden(obstacle) }
        guard let systemctl = Command.path(of: "systemctl"),
            let result = try? Command.run(
                [
                    systemctl, isOfUser ? "--user" : "--system", "show", "--no-pager",
                    "--property=" + properties.joined(separator: ","), "--", name,
                ])
        else { return .hidden("systemctl could not be run") }
        guard result.code == 0 else { return .hidden("systemctl show \(name) failed (\(result.code))") }
        return .seen(UnitState(name, shown: result.output))
    }

    /// The names of the active units of the system that match a pattern of systemctl(1); none if they cannot be queried.
    package static func activeNames(matching pattern: String) -> [String] {
        guard obstacle == nil else { return [] }
        let arguments = [
            "list-units", "--plain", "--no-legend", "--no-pager", "--full", "--state=active", "--", pattern,
        ]
        return Command.output(of: "systemctl", arguments).map(names(listed:)) ?? []
    }
}
