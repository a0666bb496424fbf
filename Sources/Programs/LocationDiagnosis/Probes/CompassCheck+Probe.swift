import Glibc
import POSIXSupport

extension CompassCheck {
    private static let action = "/usr/share/polkit-1/actions/net.hadess.SensorProxy.policy"

    /// Looks at the compass of this machine, at polkit and at iio-sensor-proxy; `nil` on a machine without a compass.
    package static func probe() -> CompassCheck? {
        guard hasCompass() else { return nil }
        var check = CompassCheck(isRunning: SystemBusQuery.isRunning("net.hadess.SensorProxy"))
        check.isInstalled = ["/usr/lib", "/lib"].contains {
            access("\($0)/systemd/system/iio-sensor-proxy.service", F_OK) == 0
        }
        // iio-sensor-proxy has an action of polkit from 3.6 on; before, only the bus decides.
        if access(action, F_OK) == 0 { check.isPermitted = FileLook.isPolkitRule("60-locationd-compass.rules") }
        return check
    }

    /// True if the kernel has a compass of the kind that iio-sensor-proxy reads.
    static func hasCompass(in directory: String = "/sys/bus/iio/devices") -> Bool {
        ((try? DirectoryListing.names(in: directory)) ?? []).contains {
            access("\(directory)/\($0)/scan_elements/in_rot_from_north_magnetic_tilt_comp_en", F_OK) == 0
        }
    }
}
