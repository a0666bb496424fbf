import CommandLineSupport
import Glibc

/// The browser of the session, which `xdg-open` of the package xdg-utils knows.
enum Browser {
    /// Opens `address` in it. Other users can read the address among the processes, but it is of no use to them.
    static func open(_ address: String) {
        var process = pid_t()
        let words: [String] = ["xdg-open", address]
        let arguments = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // In a group of its own, so that Ctrl-C here ends no browser that has just been started.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let code = posix_spawnp(&process, "xdg-open", nil, &attributes, arguments + [nil], environ)
        guard code == 0 else {
            return Terminal.complain(
                "The address cannot be opened here (\(String(cString: strerror(code)))): install xdg-utils, or open it yourself."
            )
        }
        // Otherwise it would stay a zombie.
        signal(SIGCHLD, SIG_IGN)
    }
}
