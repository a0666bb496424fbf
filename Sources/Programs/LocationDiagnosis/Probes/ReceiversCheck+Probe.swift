import POSIXSupport
import LocationInterface

extension ReceiversCheck {
    /// Gathers the evidence about receivers on this machine: device files, gpsd's process, serial lines and settings.
    package mutating func scan() {
        gpsd = Self.runningGPSD()
        serialLines = ((try? DirectoryListing.names(in: "/dev")) ?? [])
            .filter { name in ["ttyACM", "ttyUSB", "ttyAMA", "gps"].contains { name.hasPrefix($0) } }.map {
                "/dev/" + $0
            }
        settings = SmallFile.text("/etc/default/gpsd").map(GPSDSettings.init)
        let devices = (receivers.value ?? []).compactMap(\.device) + (settings?.devices ?? []) + serialLines
        for device in devices where device.hasPrefix("/dev/") { files[device] = FileLook.at(device).status }
    }

    /// The user and the groups of gpsd's process, which drops root after its start.
    private static func runningGPSD() -> ProcessIdentity? {
        for name in ((try? DirectoryListing.names(in: "/proc")) ?? []) where Int(name) != nil {
            guard SmallFile.text("/proc/\(name)/comm") == "gpsd\n", let status = SmallFile.text("/proc/\(name)/status")
            else {
                continue
            }
            return ProcessIdentity(processStatus: status)
        }
        return nil
    }
}

extension ProcessIdentity {
    /// Parses `/proc/PID/status` (proc(5)): the second number after `Uid:` and `Gid:` is the effective one.
    init?(processStatus text: String) {
        func numbers(_ name: String) -> [UInt32] {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return line.split(whereSeparator: \.isWhitespace).dropFirst().compactMap { UInt32($0) }
        }
        let (users, groups) = (numbers("Uid"), numbers("Gid"))
        guard users.count > 1, groups.count > 1 else { return nil }
        self.init(userID: users[1], groups: Set([groups[1]] + numbers("Groups")))
    }
}
