import Glibc

/// The steps that undo ``PortFix``: files to remove and commands to run. A file that was changed since stays.
package struct PortUndo: Hashable, Sendable {
    /// The files to remove.
    package let removals: [String]
    /// The files that stay, because they were changed since doctor wrote them.
    package let kept: [String]
    /// The commands to run before: arguments of systemctl. gpsd stops by its unit as it is, which removes what stands in the
    /// place of its shared memory.
    package let stop: [[String]]
    /// The commands to run afterwards: arguments of systemctl.
    package let commands: [[String]]

    /// The steps for a situation; `nil` if there is nothing to undo.
    package init?(_ situation: PortFix.Situation) {
        let written = [
            (PortFix.dropInFile, situation.dropIn), (PortFix.serviceDropInFile, situation.serviceDropIn),
            (situation.settingsFile, situation.settings),
        ]
        let files = written.compactMap { file, content in content.map { (file: file, isOurs: Seal.isIntact($0)) } }
        guard !files.isEmpty else { return nil }
        let kept = files.filter { !$0.isOurs }.map(\.file)
        // The service's settings name the socket of a drop-in that stays, and gpsd that was not opened publishes nothing either.
        let removals = kept.contains(PortFix.dropInFile) ? [] : files.filter(\.isOurs).map(\.file)
        (self.kept, self.removals) = (kept, removals)
        guard !removals.isEmpty, case .seen(let socket) = situation.socketUnit else {
            (stop, commands) = ([], [])
            return
        }
        let restarts =
            socket.isLoaded
            && (removals.contains(PortFix.dropInFile) || removals.contains(PortFix.serviceDropInFile))
        // The service lets go of gpsd's port before gpsd opens it.
        let takesPort = restarts && removals.contains(PortFix.dropInFile) && situation.servicePort.isOn
        stop = (takesPort ? situation.servicePort.turnOff : []) + (restarts ? situation.stop : [])
        commands =
            [["daemon-reload"]] + (restarts ? situation.start : []) + [["try-restart", "locationd.service"]]
    }

    /// The steps in words, for the user to agree to.
    package var description: [String] {
        var lines: [String] = []
        if removals.contains(PortFix.dropInFile) {
            lines += ["gpsd will listen at its port again: every local user can ask it where this machine is."]
        }
        if removals.contains(PortFix.serviceDropInFile) {
            lines += ["gpsd will publish fixes to every local user in shared memory and on the system bus again."]
        }
        if !lines.isEmpty { lines.append("") }
        func words(_ command: [String]) -> String { "run systemctl \(command.joined(separator: " "))" }
        return lines + stop.map(words) + removals.map { "remove \($0)" } + commands.map(words) + notes
    }

    /// The reasons why files stay, and what to do about them.
    package var notes: [String] {
        let restart =
            "and run: sudo systemctl daemon-reload && \(GPSDCheck.restartWithSocket)"
        return kept.map { file in
            let reason = "\(file) stays, because it was changed since locationctl wrote it."
            return switch file {
            case PortFix.dropInFile: "\(reason) To open gpsd's port again, remove it \(restart)"
            case PortFix.serviceDropInFile: "\(reason) To let gpsd publish again, remove it \(restart)"
            default: "\(reason) Remove it if its GPSD is not wanted."
            }
        }
    }

    /// Removes the files and runs the commands, as root. After a failure the earlier steps stay done, and repeating the
    /// command continues.
    package func perform() throws(PortFix.Failure) {
        let reservation = PortReservation()
        defer { reservation.end() }
        try PortFix.run(stop)
        for file in removals {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw PortFix.Failure(description: "\(file) cannot be removed: \(String(cString: strerror(errno))).")
            }
            // Fails if the directory has other files, which then stay. That of the settings is the package's.
            if file.hasPrefix("/etc/systemd/"), let end = file.lastIndex(of: "/") { rmdir(String(file[..<end])) }
        }
        try PortFix.run(commands)
    }
}
