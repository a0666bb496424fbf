import CommandLineSupport
import Glibc
import POSIXSupport

/// The browser of the session, which `xdg-open` of the package xdg-utils knows.
enum Browser {
    /// Opens `address` in it. Other users can read the address among the processes, but it is of no use to them.
    static func open(_ address: String) {
        var launch = ProgramLaunch(
            ["xdg-open", address],
            descriptors: [STDIN_FILENO: STDIN_FILENO, STDOUT_FILENO: STDOUT_FILENO, STDERR_FILENO: STDERR_FILENO])
        // Ctrl-C here ends no browser that has just been started.
        launch.isInOwnGroup = true
        do throws(Errno) {
            _ = try launch.start()
        } catch {
            return Terminal.complain(
                "The address cannot be opened here (\(error)): install xdg-utils, or open it yourself.")
        }
        // Otherwise it would stay a zombie.
        signal(SIGCHLD, SIG_IGN)
    }
}
