import Glibc
import GPSDProtocol
import LocationConfiguration
import POSIXSupport
import LocationInterface

extension SourcesCheck {
    /// Looks for sources: in the settings, at gpsd and in its list of devices.
    ///
    /// - Parameters:
    ///   - gpsd: what gpsd has answered; `nil` to look at its settings only, without starting it.
    package static func probe(configurationFile: String, gpsd: GPSDProbe?) -> SourcesCheck {
        var check = SourcesCheck()
        let receivers = gpsd?.receivers ?? []
        if !receivers.isEmpty {
            check.receivers.append("gpsd (\(receivers.map { $0.device ?? "a receiver" }.joined(separator: ", ")))")
        } else if hasDevices(SmallFile.text("/etc/default/gpsd") ?? "") {
            check.receivers.append("gpsd (DEVICES in /etc/default/gpsd)")
        }
        // One on another machine is the owner's choice.
        let configured = (try? Configuration.load(leavingOutUnreadable: configurationFile))?.daemon.gpsd ?? []
        check.receivers += configured.map(\.address).filter { !$0.isLocal }.map { "gpsd at \($0)" }
        if isEnabled("Modem", in: configurationFile) { check.others.append("the modem") }
        if isEnabled("WiFi", in: configurationFile) { check.others.append("Wi-Fi") }
        if hasPosition(configurationFile) {
            check.others.append("the fixed position")
        } else if (try? GeolocationFile.read()) != nil {
            check.others.append("the fixed position in \(GeolocationFile.path)")
        }
        return check
    }

    private static func isEnabled(_ key: String, in configurationFile: String) -> Bool {
        let holder = try? SettingChange.holder(of: key, in: configurationFile, leavingOutUnreadable: true)
        return holder?.value.dictionary?["Enabled"]?.boolean ?? false
    }

    private static func hasPosition(_ configurationFile: String) -> Bool {
        let key = "FixedLocation"
        // Its drop-in is readable by root and the service only.
        let dropIn = "\(Configuration.dropInDirectory(of: configurationFile))/\(key).plist"
        let holder = try? SettingChange.holder(of: key, in: configurationFile, leavingOutUnreadable: true)
        return holder != nil || access(dropIn, F_OK) == 0
    }

    /// True if Debian's settings of gpsd name a device.
    static func hasDevices(_ settings: String) -> Bool {
        settings.split(separator: "\n").contains { line in
            guard line.hasPrefix("DEVICES=") else { return false }
            return line.dropFirst("DEVICES=".count).contains { !"\"' \t".contains($0) }
        }
    }
}
