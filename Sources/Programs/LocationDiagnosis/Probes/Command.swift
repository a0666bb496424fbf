import Glibc
package import POSIXSupport

/// Runs programs of the system by their absolute paths, without a shell.
package enum Command {
    /// The path of a program in the directories of the system.
    package static func path(of name: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/local/sbin/", "/usr/local/bin/"].map { $0 + name }
            .first { access($0, X_OK) == 0 }
    }

    /// The output of a program by its name; `nil` if it is not installed, or fails.
    static func output(of name: String, _ arguments: [String]) -> String? {
        guard let path = path(of: name), let result = try? run([path] + arguments), result.code == 0 else { return nil }
        return result.output
    }

    /// Runs a program and waits for its end.
    package static func run(
        _ arguments: [String], includingErrors: Bool = false
    ) throws(Errno) -> ProgramLaunch.Result {
        // A minimal environment: the output is parsed, so it has to be English and without a pager.
        var environment = [
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0",
        ]
        // Where `systemctl --user` finds the user's own service manager.
        if let directory = getenv("XDG_RUNTIME_DIR").flatMap({ String(validatingCString: $0) }) {
            environment.append("XDG_RUNTIME_DIR=\(directory)")
        }
        return try ProgramLaunch(arguments, environment: environment).run(includingErrors: includingErrors)
    }
}
