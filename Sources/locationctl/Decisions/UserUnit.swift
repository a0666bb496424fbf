import CommandLineSupport
import LinuxPlumbing
import POSIXSupport

/// Units of the user's own service manager.
enum UserUnit {
    /// Starts a unit, as an agent does for a program that has an event to receive. Says so if that fails, and does not wait.
    ///
    /// The service names only units that root has declared; what one of them does is the user's own matter.
    static func start(_ unit: String) {
        do {
            try DetachedThread.start(name: "start") { run(unit) }
        } catch {
            complain(unit, "\(error)")
        }
    }

    /// systemctl also reaches the service manager where the session has no bus.
    private static func run(_ unit: String) {
        let command = ProgramLaunch(["systemctl", "--user", "--no-block", "start", "--", unit])
        do {
            let result = try command.run(includingErrors: true, limit: 1 << 16, time: .seconds(30))
            if result.code != 0 { complain(unit, result.output) }
        } catch {
            complain(unit, "systemctl: \(error)")
        }
    }

    private static func complain(_ unit: String, _ reason: String) {
        Terminal.complain("\(unit.shown()) could not be started: \(reason.shown(limit: 1024))")
    }
}
