import CommandLineSupport
import LinuxPlumbing
import LocationClient
import POSIXSupport

/// Units of the user's own service manager, by systemctl, which also reaches it where the session has no bus.
enum UserUnit {
    /// Starts a unit, as an agent does for a program that has an event to receive. Says so if that fails, and does not wait.
    ///
    /// The service names only units that root has declared; what one of them does is the user's own matter.
    static func start(_ unit: String) {
        do {
            try DetachedThread.start(name: "start") {
                do throws(LocationError) {
                    try run("--no-block", "start", "--", unit)
                } catch {
                    complain(unit, error.description)
                }
            }
        } catch {
            complain(unit, "\(error)")
        }
    }

    /// Starts a program outside of this one's own unit, which may not use the network: in a unit of its own, or as a child where the
    /// user has no service manager. Says so if that fails, and does not wait.
    static func launch(_ arguments: [String]) {
        do {
            try DetachedThread.start(name: "launch") {
                do throws(LocationError) {
                    try ServiceManager.run(
                        ["systemd-run", "--user", "--quiet", "--collect", "--no-block", "--"] + arguments)
                } catch {
                    do throws(Errno) {
                        ProgramLaunch.reap(try ProgramLaunch(arguments).start())
                    } catch let failure {
                        complain(arguments[0], "\(error.description) \(failure)")
                    }
                }
            }
        } catch {
            complain(arguments[0], "\(error)")
        }
    }

    /// Runs a command of `systemctl --user`. Throws its output if it fails.
    static func run(_ arguments: String...) throws(LocationError) {
        try ServiceManager.run(["systemctl", "--user", "--quiet"] + arguments)
    }

    private static func complain(_ unit: String, _ reason: String) {
        Terminal.complain("\(unit.shown()) could not be started: \(reason.shown(limit: 1024))")
    }
}
