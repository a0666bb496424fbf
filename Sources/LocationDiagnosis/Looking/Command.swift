import Glibc

/// Runs programs of the system by their absolute paths, without a shell.
package enum Command {
    /// The exit code and the output of a program.
    package struct Result: Sendable {
        /// The exit code; 128 plus the signal's number if a signal ended it, as in a shell.
        package var code: Int32
        package var output: String
    }

    /// The path of a program in the directories of the system.
    package static func path(of name: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/local/sbin/", "/usr/local/bin/"].map { $0 + name }
            .first { access($0, X_OK) == 0 }
    }

    /// Runs a program and waits for its end. Returns `nil` and sets `errno` if it cannot be run.
    package static func run(_ arguments: [String], includingErrors: Bool = false) -> Result? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        if includingErrors {
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        // A minimal environment: the output is parsed, so it has to be English and without a pager.
        let environment = [
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0",
        ]
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for string in argv + envp { free(string) } }
        var process = pid_t()
        let code = posix_spawn(&process, arguments[0], &actions, nil, &argv, &envp)
        close(ends[1])
        guard code == 0 else {
            errno = code
            return nil
        }
        let output = readToEnd(ends[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let exit = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
        return Result(code: exit, output: String(decoding: output, as: UTF8.self))
    }

    private static func readToEnd(_ descriptor: Int32) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return output }
            output += buffer.prefix(count)
        }
    }
}
