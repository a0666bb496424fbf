extension ModemCheck {
    private static let name = "org.freedesktop.ModemManager1"
    private static let ruleFile = "/etc/polkit-1/rules.d/60-locationd-modem.rules"

    /// Asks ModemManager, which is not started by that, for its modems, and looks for polkit's rule.
    package static func probe(isEnabled: Bool) -> ModemCheck {
        var check = ModemCheck(modems: findModems(), isEnabled: isEnabled)
        // Only root and polkit may look into the directory.
        check.hasRule = FileLook.at(ruleFile).isThere
        return check
    }

    private static func findModems() -> Evidence<Modems?> {
        switch SystemBusQuery.isRunning(name) {
        case .hidden(let reason): return .hidden(reason)
        case .seen(false): return .seen(nil)
        case .seen(true): break
        }
        let paths = (SystemBusQuery.ask("tree", "--list", name) ?? []).filter {
            $0.hasPrefix("/org/freedesktop/ModemManager1/Modem/")
        }
        var modems = Modems(hasReceiver: false, isShown: false)
        for path in paths {
            // Not there while the modem is locked.
            guard
                let values = SystemBusQuery.ask(
                    "get-property", name, path, "\(name).Modem.Location", "Capabilities", "SignalsLocation"),
                values.count == 2, let sources = values[0].split(separator: " ").last.flatMap({ UInt32($0) })
            else { continue }
            // MM_MODEM_LOCATION_SOURCE_GPS_NMEA.
            if sources & 4 != 0 { modems.hasReceiver = true }
            if values[1] == "b true" { modems.isShown = true }
        }
        return .seen(modems)
    }
}
