import POSIXSupport

/// The machine's power supplies, as the kernel lists them in `/sys/class/power_supply`.
enum PowerSupplies {
    static let directory = "/sys/class/power_supply"

    /// True if the machine runs on its battery: a battery of the machine is discharging, and no mains is connected; `nil` if the
    /// kernel cannot be asked. May take tenths of a second, because the kernel asks the machine's controller.
    static func isOnBattery(directory: String = directory) -> Bool? {
        guard let names = try? DirectoryListing.names(in: directory) else { return nil }
        var isDischarging = false
        for name in names {
            func value(_ property: String) -> String? {
                SmallFile.text("\(directory)/\(name)/\(property)").map {
                    String($0.prefix { $0 != "\n" })
                }
            }
            // Batteries of mice and keyboards have another scope.
            guard value("scope") != "Device" else { continue }
            switch value("type") {
            case "Battery", "UPS": if value("status") == "Discharging" { isDischarging = true }
            // Mains, or one of the kinds of USB.
            case .some: if value("online") != "0" && value("online") != nil { return false }
            case nil: continue
            }
        }
        return isDischarging
    }
}
