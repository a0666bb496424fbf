import LocationPolicy

/// The evidence about a program that the configuration names by its path.
package struct ProgramEvidence: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// A program that the kernel runs itself.
        case binary
        /// A script, and the program that runs it.
        case script(interpreter: String)
        case directory
        /// A file without the permission to execute it.
        case notExecutable
        case absent
        /// The path is not accessible.
        case unknown
    }

    package var path: String
    package var content: Content
    /// The path without symbolic links, if it differs: the kernel reports that one.
    package var target: String?
    /// The first directory in the path that the service may not enter.
    package var closedDirectory: String?

    package init(_ path: String, _ content: Content = .binary) {
        self.path = path
        self.content = content
    }

    /// The reason why the service cannot recognise it, as the predicate of a sentence, and the remedy; `nil` if it can.
    ///
    /// - Parameters:
    ///   - key: the key that names the program.
    ///   - isSandboxed: true for the system's service, which has the restrictions of its unit.
    func trouble(key: String, isSandboxed: Bool) -> (found: String, remedy: String)? {
        if let target {
            return ("is a symbolic link: the kernel reports \(target)", "Write \(target) as \(key).")
        }
        if isSandboxed, ["/tmp/", "/var/tmp/", "/dev/"].contains(where: path.hasPrefix) {
            return (
                "is in a directory that the service does not see, because every user can write to it",
                "Move the program, and write its new path as \(key)."
            )
        }
        if isSandboxed, let closedDirectory {
            return (
                "is not visible to the service, which may not enter \(closedDirectory)",
                "Move the program to /usr/local/bin, or run: sudo chmod o+x \(closedDirectory)"
            )
        }
        switch content {
        case .binary, .unknown: return nil
        case .absent: return ("does not exist", "Correct \(key), or remove the entry.")
        case .directory: return ("is a directory", "Name a program in it as \(key).")
        case .notExecutable: return ("cannot be executed", "If it is a program, run: sudo chmod +x \(path)")
        case .script(let interpreter):
            return (
                "is a script: the kernel reports \(interpreter), which runs other scripts, too",
                "Correct \(key), or remove the entry. \(Interpreter.remedy)"
            )
        }
    }
}
