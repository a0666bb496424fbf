import Glibc

extension ProgramEvidence {
    /// Gathers the evidence about the program at a path.
    package static func probe(at path: String) -> ProgramEvidence {
        var evidence = ProgramEvidence(path, content(of: path))
        evidence.closedDirectory = closedDirectory(above: path)
        if let resolved = realpath(path, nil) {
            let target = String(cString: resolved)
            free(resolved)
            if target != path {
                evidence.target = target
                evidence.closedDirectory = evidence.closedDirectory ?? closedDirectory(above: target)
            }
        }
        return evidence
    }

    private static func content(of path: String) -> Content {
        switch FileLook.at(path) {
        case .absent: return .absent
        case .failed: return .unknown
        case .found(let status):
            guard status.kind != .directory else { return .directory }
            guard status.kind == .regular, status.mode & 0o111 != 0 else { return .notExecutable }
            return interpreter(of: path).map { .script(interpreter: $0) } ?? .binary
        }
    }

    /// The interpreter in the first line of a script (execve(2)); `nil` for any other file, and for one that cannot be read.
    package static func interpreter(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 2, bytes.starts(with: "#!".utf8) else { return nil }
        let line = String(decoding: bytes[2..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return line.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? "/bin/sh"
    }

    /// The first directory in a path that the service may not enter. If its user does not exist, only the permissions of
    /// others count.
    private static func closedDirectory(above path: String) -> String? {
        let service = Account.identity(ofUser: "locationd") ?? ProcessIdentity(userID: .max, groups: [])
        var directory = ""
        for part in path.split(separator: "/").dropLast() {
            directory += "/" + part
            guard case .found(let status) = FileLook.at(directory) else { return nil }
            if !status.permits(.search, to: service) { return directory }
        }
        return nil
    }
}
