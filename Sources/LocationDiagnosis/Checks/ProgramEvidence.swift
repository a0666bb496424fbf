/// A program that the configuration names by its path, as it is on disk.
package struct ProgramEvidence: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// A program that the kernel itself can start.
        case binary
        /// A script, and the program that runs it.
        case script(interpreter: String)
        case directory
        /// It has no permission to be started.
        case notExecutable
        case absent
        /// It cannot be looked at from here.
        case unknown
    }

    package var path: String
    package var content: Content
    /// The path past symbolic links, where that is another: the kernel names that one.
    package var target: String?
    /// The first directory on the way that is closed to everybody but its owner and its group.
    package var closedDirectory: String?

    package init(_ path: String, _ content: Content = .binary) {
        self.path = path
        self.content = content
    }

    /// What keeps the service from recognising it, as the rest of a sentence about it, and what to do; `nil` where nothing
    /// does.
    ///
    /// - Parameters:
    ///   - key: the key that names the program.
    ///   - isSandboxed: whether the service is the system's, with the restrictions of its unit.
    func trouble(key: String, isSandboxed: Bool) -> (found: String, remedy: String)? {
        if let target {
            return ("is a symbolic link: the kernel names \(target)", "Write \(target) as \(key).")
        }
        if isSandboxed, ["/tmp/", "/var/tmp/", "/dev/"].contains(where: path.hasPrefix) {
            return (
                "lies where the service does not look, since anybody can put a program there",
                "Move the program, and write its new path as \(key)."
            )
        }
        if isSandboxed, let closedDirectory {
            return (
                "is out of the service's sight: \(closedDirectory) is closed to it",
                "chmod o+x \(closedDirectory), or move the program to /usr/local/bin."
            )
        }
        switch content {
        case .binary, .unknown: return nil
        case .absent: return ("does not exist", "Correct \(key), or remove the entry.")
        case .directory: return ("is a directory", "Name a program in it as \(key).")
        case .notExecutable: return ("cannot be executed", "chmod +x \(path), if it is a program.")
        case .script(let interpreter):
            return (
                "is a script: the kernel names \(interpreter), which runs other scripts, too",
                "Recognise it by UserUnit or SystemdUnit instead, and run it as such a unit."
            )
        }
    }
}
