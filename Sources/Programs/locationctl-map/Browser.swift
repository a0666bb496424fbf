import CommandLineSupport
import Glibc
import POSIXSupport

/// The browser of the session, started by `xdg-open` of the package xdg-utils.
enum Browser {
    /// Opens `address` in the browser. Other users can read the address in the list of processes, but its code is valid
    /// once and for this user only.
    static func open(_ address: String) {
        var launch = ProgramLaunch(
            ["xdg-open", address],
            descriptors: [STDIN_FILENO: STDIN_FILENO, STDOUT_FILENO: STDOUT_FILENO, STDERR_FILENO: STDERR_FILENO])
        // Ctrl-C in this terminal must not end a browser that was just started.
        launch.isInOwnGroup = true
        do throws(Errno) {
            ProgramLaunch.reap(try launch.start())
        } catch {
            return Terminal.complain(
                "The address cannot be opened here (\(error)): install xdg-utils, or open it yourself.")
        }
    }
}
