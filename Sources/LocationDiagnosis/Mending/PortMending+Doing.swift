import Glibc
package import LocationConfiguration

extension PortMending {
    /// Why mending was not done to its end, as a sentence.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Looks at what is needed to decide what is to be done.
    package static func look(configurationFile: String, port: PortCheck) -> Situation {
        var situation = Situation(
            port: port, socketUnit: UnitState.look(at: "gpsd.socket"), serviceUnit: UnitState.look(at: "gpsd.service"),
            configurationFile: configurationFile)
        situation.hasServiceUser = getpwnam("locationd") != nil
        situation.dropIn = SmallFile.text(dropInFile)
        situation.configuration = SmallFile.text(configurationFile)
        situation.address = (try? Configuration.load(file: configurationFile, keeping: nil))
            .map { GPSDCheck.Address($0.daemon.gpsd) }
        return situation
    }

    /// Writes and runs everything, for root. Where something fails what was done before it stays: looking again says how
    /// things are, and doing it again goes on.
    package func perform() throws(Failure) {
        for writing in writings { try write(writing) }
        guard let systemctl = Command.path(of: "systemctl") else {
            throw Failure(description: "systemctl is not there.")
        }
        for command in commands {
            let words = "systemctl \(command.joined(separator: " "))"
            guard let result = Command.run([systemctl] + command, includingErrors: true) else {
                throw Failure(description: "\(words) could not be run: \(Self.reason())")
            }
            guard result.code == 0 else { throw Failure(description: "\(words) failed: \(result.output)") }
        }
    }

    /// Writes a file under another name, reads it again, and puts it in the place of the old one, of which a copy stays.
    func write(_ writing: Writing) throws(Failure) {
        let draft = writing.file + ".draft"
        let old = FileLook.at(writing.file).status
        if let directory = writing.file.lastIndex(of: "/").map({ String(writing.file[..<$0]) }) {
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
                throw Failure(description: "\(directory) cannot be made: \(Self.reason())")
            }
        }
        do throws(Failure) {
            try put(writing.new, at: draft, like: old)
            if writing.file != Self.dropInFile { try check(draft, insteadOf: writing) }
            if let text = writing.old { try put(text, at: writing.file + Self.backupSuffix, like: old) }
            guard rename(draft, writing.file) == 0 else {
                throw Failure(description: "\(writing.file) cannot be replaced: \(Self.reason())")
            }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// That the edited property list says what the old one said, but for where gpsd is.
    private func check(_ draft: String, insteadOf writing: Writing) throws(Failure) {
        var expected = DaemonConfiguration()
        if writing.old != nil, let old = try? Configuration.load(file: writing.file, keeping: nil) {
            expected = old.daemon
        }
        expected.gpsd = .unix(path: socket)
        guard let new = try? Configuration.load(file: draft, keeping: nil), new.daemon == expected else {
            throw Failure(
                description:
                    "\(writing.file) cannot be edited safely, and was left alone. Under GPSD remove Host and Port, "
                    + "and add <key>Socket</key><string>\(socket)</string>; then try again.")
        }
    }

    /// Writes a file with the owner and the mode of another, or as root's that everybody may read.
    private func put(_ text: String, at path: String, like old: FileStatus?) throws(Failure) {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(description: "\(path) cannot be written: \(Self.reason())") }
        defer { close(descriptor) }
        var left = Array(text.utf8)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(description: "\(path) cannot be written: \(Self.reason())") }
            left = left.dropFirst(count)
        }
        guard fchown(descriptor, old?.owner ?? 0, old?.group ?? 0) == 0, fchmod(descriptor, old?.mode ?? 0o644) == 0,
            fsync(descriptor) == 0
        else { throw Failure(description: "\(path) cannot be written: \(Self.reason())") }
    }

    private static func reason() -> String { "\(String(cString: strerror(errno)))." }
}

extension GPSDCheck.Address {
    /// Where a configuration has gpsd.
    package init(_ configured: DaemonConfiguration.Endpoint) {
        switch configured {
        case .tcp(let host, let port): self = .tcp(host: host, port: UInt16(clamping: port))
        case .unix(let path): self = .unix(path: path)
        }
    }

    /// Reads an address as the service states it: `127.0.0.1:2947`, `[::1]:2947`, a path, or `replay:FILE`. `nil` for none.
    package init?(stated text: String) {
        if text.hasPrefix("/") {
            self = .unix(path: text)
        } else if text.hasPrefix("replay:") {
            self = .replay(text)
        } else if let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) {
            self = .tcp(host: String(text[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }), port: port)
        } else {
            return nil
        }
    }
}
