import Glibc

/// The steps that undo ``PortFix``: files to remove and commands to run. A file that was changed since stays.
package struct PortUndo: Hashable, Sendable {
    /// The files to remove.
    package let removals: [String]
    /// The files that stay, because they were changed since doctor wrote them.
    package let kept: [String]
    /// The commands to run afterwards: arguments of systemctl.
    package let commands: [[String]]

    /// The steps for a situation; `nil` if there is nothing to undo.
    package init?(_ situation: PortFix.Situation) {
        let files = [(PortFix.dropInFile, situation.dropIn), (situation.settingsFile, situation.settings)]
            .compactMap { file, content in content.map { (file: file, isOurs: Seal.isIntact($0)) } }
        guard !files.isEmpty else { return nil }
        kept = files.filter { !$0.isOurs }.map(\.file)
        // The service's settings name the socket of a drop-in that stays.
        removals = kept.contains(PortFix.dropInFile) ? [] : files.filter(\.isOurs).map(\.file)
        guard !removals.isEmpty, case .seen(let socket) = situation.socketUnit else {
            commands = []
            return
        }
        var commands = [["daemon-reload"]]
        if socket.isLoaded, removals.contains(PortFix.dropInFile) {
            commands += situation.restart
        }
        self.commands = commands + [["try-restart", "locationd.service"]]
    }

    /// The steps in words, for the user to agree to.
    package var description: [String] {
        var lines: [String] = []
        if removals.contains(PortFix.dropInFile) {
            lines += ["gpsd will listen at its port again: every local user can ask it where this machine is.", ""]
        }
        lines += removals.map { "remove \($0)" }
        return lines + commands.map { "run systemctl \($0.joined(separator: " "))" } + notes
    }

    /// The reasons why files stay, and what to do about them.
    package var notes: [String] {
        kept.map { file in
            file == PortFix.dropInFile
                ? "\(file) stays, because it was changed since locationctl wrote it. To open gpsd's port again, remove it "
                    + "and run: sudo systemctl daemon-reload && sudo systemctl restart gpsd.socket && "
                    + "sudo systemctl restart 'gpsdctl@*'"
                : "\(file) stays, because it was changed since locationctl wrote it. Remove it if its GPSD is not wanted."
        }
    }

    /// Removes the files and runs the commands, as root. After a failure the earlier steps stay done, and repeating the
    /// command continues.
    package func perform() throws(PortFix.Failure) {
        for file in removals {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw PortFix.Failure(description: "\(file) cannot be removed: \(String(cString: strerror(errno))).")
            }
            // Fails if the directory has other files, which then stay.
            if let end = file.lastIndex(of: "/") { rmdir(String(file[..<end])) }
        }
        try PortFix.run(commands)
    }
}
