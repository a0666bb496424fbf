import LinuxPlumbing
import Glibc
import Testing

/// A process without a terminal, ended when this object is released.
final class Sleeper {
    private var processID = pid_t()

    init() throws {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // POSIX_SPAWN_SETSID, which glibc's headers reserve for GNU programs.
        posix_spawnattr_setflags(&attributes, 0x80)
        defer { posix_spawnattr_destroy(&attributes) }
        let arguments = [strdup("sleep"), strdup("1000"), nil]
        defer { arguments.forEach { free($0) } }
        let error = posix_spawnp(&processID, "sleep", nil, &attributes, arguments, environ)
        try #require(error == 0)
    }

    func watched() throws -> WatchedProcess {
        try #require(WatchedProcess(processID: processID))
    }

    func end() {
        guard processID > 0 else { return }
        kill(processID, SIGKILL)
        waitpid(processID, nil, 0)
        processID = 0
    }

    deinit { end() }
}
