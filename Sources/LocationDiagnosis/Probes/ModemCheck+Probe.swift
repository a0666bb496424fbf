import Glibc
import POSIXSupport

extension ModemCheck {
    private static let name = "org.freedesktop.ModemManager1"
    private static let ruleFile = "/etc/polkit-1/rules.d/60-locationd-modem.rules"

    /// Asks ModemManager, which is not started by that, for its modems, and looks for polkit's rule.
    package static func probe(isEnabled: Bool) -> ModemCheck {
        var check = ModemCheck(modems: findModems(), isEnabled: isEnabled)
        // Only root and polkit may look into the directory.
        check.hasRule = access(ruleFile, F_OK) == 0 ? true : errno == ENOENT ? false : nil
        return check
    }

    private static func findModems() -> Evidence<Modems?> {
        let bus = "org.freedesktop.DBus"
        guard let answer = ask("call", bus, "/org/freedesktop/DBus", bus, "NameHasOwner", "s", name) else {
            return .hidden("the system bus cannot be asked")
        }
        guard answer.first == "b true" else { return .seen(nil) }
        let paths = (ask("tree", "--list", name) ?? []).filter {
            $0.hasPrefix("/org/freedesktop/ModemManager1/Modem/")
        }
        var modems = Modems(hasReceiver: false, isShown: false)
        for path in paths {
            // Not there while the modem is locked.
            guard
                let values = ask(
                    "get-property", name, path, "\(name).Modem.Location", "Capabilities", "SignalsLocation"),
                values.count == 2, let sources = values[0].split(separator: " ").last.flatMap({ UInt32($0) })
            else { continue }
            // MM_MODEM_LOCATION_SOURCE_GPS_NMEA.
            if sources & 4 != 0 { modems.hasReceiver = true }
            if values[1] == "b true" { modems.isShown = true }
        }
        return .seen(modems)
    }

    /// What busctl(1) prints, by lines; `nil` if it fails.
    private static func ask(_ arguments: String...) -> [String]? {
        guard let busctl = Command.path(of: "busctl"),
            let result = try? Command.run([busctl, "--system", "--auto-start=no"] + arguments), result.code == 0
        else { return nil }
        return result.output.split(separator: "\n").map(String.init)
    }
}
