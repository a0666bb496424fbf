/// Checks that every user can connect to the service's socket, and that none can replace it.
package struct SocketFileCheck: Check {
    package var path: String
    package var file: FileLook
    package var directory: FileLook
    /// True for the system's service, to which every user may connect; false for one that a user started.
    package var isSystem: Bool

    package init(path: String, file: FileLook, directory: FileLook, isSystem: Bool) {
        self.path = path
        self.file = file
        self.directory = directory
        self.isSystem = isSystem
    }

    package var findings: [Finding] {
        let trouble = directoryTrouble ?? fileTrouble
        return [
            trouble ?? .ok(.serviceSocketFile, "\(path) is open\(isSystem ? " to every user" : "")", subject: path)
        ]
    }

    private func problem(_ found: String, _ remedy: String? = nil) -> Finding {
        let restart = isSystem ? "sudo systemctl restart locationd.socket" : "Start locationd with --socket \(path)."
        return .problem(.serviceSocketFile, found, remedy: remedy ?? restart, subject: path)
    }

    private var directoryTrouble: Finding? {
        guard isSystem, let status = directory.status else { return nil }
        let name = path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)
        let restore =
            "sudo chown root:root \(name) && sudo chmod 0755 \(name) && sudo systemctl restart locationd.socket"
        if status.kind != .directory {
            return problem("\(name) is not a directory", "Remove it, then run: sudo systemctl restart locationd.socket")
        }
        if status.owner != 0 {
            return problem(
                "\(name) belongs to \(Account.userName(status.owner)), who could replace the socket", restore)
        }
        if status.isWritableByOthers {
            return problem("\(name) is \(status.words): others could replace the socket", restore)
        }
        if status.mode & 0o001 == 0 { return problem("\(name) is \(status.words): not every user may enter", restore) }
        return nil
    }

    private var fileTrouble: Finding? {
        switch file {
        case .absent: problem("there is no socket at \(path)")
        case .failed: problem("\(path) is not accessible: you may not enter a directory above it")
        case .found(let status) where status.kind != .socket: problem("\(path) is not a socket")
        case .found(let status) where isSystem && status.mode & 0o666 != 0o666:
            problem("\(path) is \(status.words): not every user may connect")
        case .found: nil
        }
    }
}
