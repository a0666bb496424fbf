/// Checks that the compass of a tablet or convertible can be used, through iio-sensor-proxy.
package struct CompassCheck: Check {
    /// True if iio-sensor-proxy is installed.
    package var isInstalled = true
    /// True if iio-sensor-proxy is running.
    package var isRunning: Evidence<Bool>
    /// True if polkit's rule is in force, or not needed; `nil` if that cannot be seen.
    package var isPermitted: Bool? = true
    /// The service's error about the compass, as a sentence; `nil` without one, or if no program needs a heading now.
    package var problem: String?

    package var findings: [Finding] { [finding] }

    private var finding: Finding {
        guard isInstalled else {
            return .advice(
                .compassHeading, "this machine has a compass, which no program reads",
                remedy: "For headings, run: sudo apt install iio-sensor-proxy")
        }
        if isPermitted == false {
            return .problem(
                .compassHeading, "polkit does not let the service use the compass",
                remedy: Remedy.reinstall)
        }
        switch isRunning {
        case .hidden(let reason): return .notChecked(.compassHeading, "the compass", reason)
        case .seen(false):
            return .problem(
                .compassHeading, "iio-sensor-proxy, which reads the compass, is not running",
                remedy: "sudo systemctl restart iio-sensor-proxy")
        case .seen(true): break
        }
        guard let problem else { return .ok(.compassHeading, "the compass is used while a heading is needed") }
        return .reported(problem, .compassHeading, otherwise: "Read its log: journalctl -u iio-sensor-proxy")
    }
}
