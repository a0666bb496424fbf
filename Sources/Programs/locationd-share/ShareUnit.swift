import CommandLineSupport
import Glibc
import LocationClient

/// The unit that sends: one of the user's own service manager, or one of the system's.
struct ShareUnit {
    /// True for the unit of the system, which starts at boot.
    let isSystem: Bool
    /// Another user, whose service manager runs it; `nil` for the one who runs this program.
    var user: uid_t?

    var name: String { isSystem ? "locationd-share-system.service" : "locationd-share.service" }

    /// The command that starts it again.
    var restartCommand: String {
        isSystem ? "sudo systemctl restart \(name)" : "systemctl --user restart \(name)"
    }

    /// Starts it, unless it runs.
    func start() throws(LocationError) { try systemctl("start") }

    /// Starts it, now and at each login or boot, with the settings as they are.
    func restart() throws {
        do throws(LocationError) {
            try systemctl("enable")
            // A program that is about to end would not see the new share.
            try systemctl("restart")
        } catch {
            throw ShareRefusal(
                "Your change is saved, but \(name) could not be started: \(error.description) "
                    + (isSystem
                        ? "To see why, run: sudo systemctl status \(name)"
                        : "To send without it, run: locationctl share run"))
        }
    }

    private func systemctl(_ command: String) throws(LocationError) {
        let manager = isSystem ? ["--system"] : ["--user"] + (user.map { ["--machine=\($0)@"] } ?? [])
        do {
            _ = try VehicleAccount.asRoot {
                try ServiceManager.run(["systemctl"] + manager + ["--quiet", command, "--", name])
            }
        } catch {
            throw error as? LocationError ?? .refused(message: "\(error)")
        }
    }
}
