/// Checks what Wi-Fi positioning needs, where it is switched on.
package struct WiFiCheck: Check {
    /// The access points that NetworkManager lists.
    package struct AccessPoints: Hashable, Sendable {
        package var count: Int
        /// The number of those that a server may be asked about.
        package var usable: Int
        /// The number of those whose addresses are not real: where NetworkManager uses iwd, it makes addresses up.
        package var invented: Int

        package init(count: Int, usable: Int, invented: Int) {
            (self.count, self.usable, self.invented) = (count, usable, invented)
        }
    }

    /// True if locationd-network is installed.
    package var isProgramInstalled = true
    package var socketUnit: Evidence<UnitState>
    /// The server's name; `nil` if none is named.
    package var server: Evidence<String?>
    /// True if polkit lets the service scan.
    package var isScanPermitted: Evidence<Bool>
    package var accessPoints: Evidence<AccessPoints>
    /// The last error that the service reports.
    package var lastError: String?

    package init(
        socketUnit: Evidence<UnitState>, server: Evidence<String?>, isScanPermitted: Evidence<Bool>,
        accessPoints: Evidence<AccessPoints>
    ) {
        (self.socketUnit, self.server) = (socketUnit, server)
        (self.isScanPermitted, self.accessPoints) = (isScanPermitted, accessPoints)
    }

    package var findings: [Finding] { [programFinding, serverFinding, permissionFinding, accessPointsFinding] }

    private static let enable = "sudo locationctl sources enable wifi"

    private var programFinding: Finding {
        guard isProgramInstalled else {
            return .problem(
                .wifiProgram, "the package locationd-network is not installed, which asks the server",
                remedy:
                    "Download it from where locationd came from, then run: sudo apt install ./locationd-network_*.deb")
        }
        switch socketUnit {
        case .hidden(let reason): return .notChecked(.wifiProgram, "the unit locationd-network.socket", reason)
        case .seen(let unit) where unit.isActive:
            return .ok(.wifiProgram, "locationd-network is started when it is needed")
        case .seen(let unit):
            return .problem(
                .wifiProgram, "locationd-network.socket is not active (\(unit.activeState)), so nobody asks the server",
                remedy: "sudo systemctl enable --now locationd-network.socket")
        }
    }

    private var serverFinding: Finding {
        switch server {
        case .hidden(let reason):
            .problem(
                .wifiServer, "the file that names the server is refused: \(reason)",
                remedy: "\(Self.enable) --server URL")
        case .seen(nil): .problem(.wifiServer, "no server is named", remedy: "\(Self.enable) --server URL")
        case .seen(let server?):
            if let lastError {
                .advice(
                    .wifiServer, "the last location by Wi-Fi failed: \(lastError)",
                    remedy: "To see what the server is asked, run: locationctl sources wifi --dry-run", subject: server)
            } else {
                .ok(.wifiServer, "\(server) is asked, at most once in 30 seconds")
            }
        }
    }

    private var permissionFinding: Finding {
        switch isScanPermitted {
        case .hidden(let reason): .notChecked(.wifiPermission, "the rule of polkit for scans", reason)
        case .seen(true): .ok(.wifiPermission, "the service may have NetworkManager scan")
        case .seen(false):
            .problem(
                .wifiPermission, "the service may not have NetworkManager scan, so it hears old access points only",
                remedy: Self.enable)
        }
    }

    private var accessPointsFinding: Finding {
        switch accessPoints {
        case .hidden(let reason): return .notChecked(.wifiAccessPoints, "the access points", reason)
        case .seen(let points) where points.usable >= 2:
            return .ok(.wifiAccessPoints, "\(points.usable) of \(points.count) access points may be asked about")
        case .seen(let points) where points.invented > 0:
            return .problem(
                .wifiAccessPoints,
                "NetworkManager uses iwd, and invents the addresses of the access points: nobody can be asked about them",
                remedy:
                    "Wi-Fi positioning needs wpa_supplicant in place of iwd: remove wifi.backend=iwd from NetworkManager's "
                    + "configuration and run: sudo systemctl restart NetworkManager")
        case .seen(let points):
            return .advice(
                .wifiAccessPoints,
                "\(points.count) access points are known, and \(points.usable) may be asked about; it takes two",
                remedy: "To see which are left out, run: locationctl sources wifi --dry-run")
        }
    }
}
