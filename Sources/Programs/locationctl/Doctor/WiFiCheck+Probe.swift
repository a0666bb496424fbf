import Glibc
import LocationConfiguration
import LocationDiagnosis
import WiFiPositioning
import WiFiScanning

extension WiFiCheck {
    /// Looks at the program, the files and the access points of this machine.
    ///
    /// - Parameter lastError: the error that the service reports.
    static func probe(lastError: String?) async -> WiFiCheck {
        var check = WiFiCheck(
            socketUnit: UnitState.probe(at: "locationd-network.socket"), server: server,
            isScanPermitted: isScanPermitted, accessPoints: await accessPoints())
        check.isProgramInstalled = access(NetworkServer.program, X_OK) == 0
        check.lastError = lastError
        return check
    }

    private static var server: Evidence<String?> {
        do throws(InvalidConfiguration) {
            return .seen(try NetworkConfiguration.load(file: NetworkConfiguration.defaultFile)?.server.name)
        } catch {
            return .hidden(error.problems.map(\.description).joined(separator: " "))
        }
    }

    private static var isScanPermitted: Evidence<Bool> {
        switch FileLook.at(PolkitRule.wifi.installed) {
        case .found: .seen(true)
        case .absent: .seen(false)
        // Debian 12 keeps the directory to polkit.
        case .failed: .hidden("needs root")
        }
    }

    private static func accessPoints() async -> Evidence<AccessPoints> {
        do {
            let scan = try await SourcesWiFi.scan()
            let selection = AccessPointSelection(scan.points, at: BootClock.now())
            return .seen(
                AccessPoints(
                    count: scan.points.count, usable: selection.points.count,
                    invented: selection.omitted[.invented] ?? 0))
        } catch {
            return .hidden("\(error)")
        }
    }
}
