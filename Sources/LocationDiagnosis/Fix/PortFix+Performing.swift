import Glibc
import GPSDProtocol
import LocationConfiguration

extension PortFix {
    /// The reason why the fix is incomplete, as a sentence.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Gathers the evidence about this machine.
    package static func look(configurationFile: String, port: PortCheck) -> Situation {
        let settingsFile = "\(Configuration.dropInDirectory(of: configurationFile))/\(settingsName)"
        var situation = Situation(
            port: port, socketUnit: UnitState.look(at: "gpsd.socket"), serviceUnit: UnitState.look(at: "gpsd.service"),
            configurationFile: configurationFile, settingsFile: settingsFile)
        situation.hasServiceUser = getpwnam("locationd") != nil
        situation.dropIn = SmallFile.text(dropInFile)
        situation.settings = SmallFile.text(settingsFile)
        // Without an address the steps refuse, and name the command that shows what is wrong.
        if let configuration = try? Configuration.load(file: configurationFile, keeping: nil) {
            situation.address = configuration.daemon.gpsd
            situation.device = configuration.daemon.preferredDevice
        }
        return situation
    }

    /// Writes the files and runs the commands, as root. After a failure the earlier steps stay done, and repeating the fix
    /// continues it.
    package func perform() throws(Failure) {
        for writing in writings { try write(writing) }
        try Self.run(commands)
    }

    /// Runs systemctl with the arguments of each command.
    static func run(_ commands: [[String]]) throws(Failure) {
        guard !commands.isEmpty else { return }
        guard let systemctl = Command.path(of: "systemctl") else {
            throw Failure(description: "systemctl is not installed.")
        }
        for command in commands {
            let words = "systemctl \(command.joined(separator: " "))"
            guard let result = Command.run([systemctl] + command, includingErrors: true) else {
                throw Failure(description: "\(words) could not be run: \(Self.reason())")
            }
            guard result.code == 0 else { throw Failure(description: "\(words) failed: \(result.output)") }
        }
    }

    /// Writes a file under another name and renames it. The service's drop-in is removed again if it has no effect.
    func write(_ writing: Writing) throws(Failure) {
        let draft = writing.file + ".draft"
        if let directory = writing.file.lastIndex(of: "/").map({ String(writing.file[..<$0]) }) {
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
                throw Failure(description: "\(directory) cannot be created: \(Self.reason())")
            }
        }
        do throws(Failure) {
            try put(writing.new, at: draft)
            guard rename(draft, writing.file) == 0 else {
                throw Failure(description: "\(writing.file) cannot be replaced: \(Self.reason())")
            }
        } catch {
            unlink(draft)
            throw error
        }
        if writing.file == settingsFile { try checkSettings() }
    }

    private func checkSettings() throws(Failure) {
        let reason: String
        do {
            guard try Configuration.load(file: configurationFile, keeping: nil).daemon.gpsd != .unix(path: socket)
            else {
                return
            }
            reason =
                "another file in its directory sets GPSD. Name \(socket) as Socket there, then try again."
        } catch {
            reason = "\(error)"
        }
        unlink(settingsFile)
        throw Failure(description: "\(settingsFile) was removed again, because it has no effect: \(reason)")
    }

    /// Creates a file that everybody may read.
    private func put(_ text: String, at path: String) throws(Failure) {
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
        guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else {
            throw Failure(description: "\(path) cannot be written: \(Self.reason())")
        }
    }

    private static func reason() -> String { "\(String(cString: strerror(errno)))." }
}
