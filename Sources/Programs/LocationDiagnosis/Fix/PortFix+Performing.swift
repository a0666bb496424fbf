import Glibc
import GPSDProtocol
import LocationConfiguration
import POSIXSupport

extension PortFix {
    /// The reason why the fix is incomplete, as a sentence.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Gathers the evidence about this machine.
    package static func probe(configurationFile: String, port: PortCheck, exports: ExportsCheck) -> Situation {
        let settingsFile = "\(Configuration.dropInDirectory(of: configurationFile))/\(settingsName)"
        var situation = Situation(
            port: port, exports: exports, socketUnit: UnitState.probe(at: "gpsd.socket"),
            configurationFile: configurationFile, settingsFile: settingsFile)
        situation.receiverUnits = UnitState.activeNames(matching: "gpsdctl@*.service")
        situation.hasServiceUser = getpwnam("locationd") != nil
        situation.dropIn = SmallFile.text(dropInFile)
        situation.serviceDropIn = SmallFile.text(serviceDropInFile)
        situation.hasInterpreter = access(interpreter, X_OK) == 0
        situation.settings = SmallFile.text(settingsFile)
        situation.servicePort = GPSDPort.probe()
        // Without an address the steps refuse, and name the command that shows what is wrong.
        if let configuration = try? Configuration.load(file: configurationFile, keeping: nil) {
            situation.address = configuration.daemon.gpsd.first?.address
            situation.device = configuration.daemon.gpsd.first?.preferredDevice
            situation.count = configuration.daemon.gpsd.count
        }
        return situation
    }

    /// Writes the files and runs the commands, as root. After a failure the earlier steps stay done, and repeating the fix
    /// continues it.
    package func perform() throws(Failure) {
        for writing in writings { try write(writing) }
        let reservation = PortReservation()
        defer { reservation.end() }
        do throws(Failure) {
            try Self.run(commands)
        } catch {
            guard givesPort, let (listener, holder) = PortCheck.probe().foreign.first else { throw error }
            throw Failure(
                description: "\(error)\n\(holder) listens at gpsd's port (\(listener)).\n"
                    + holder.remedy(port: listener.port))
        }
    }

    /// Runs systemctl with the arguments of each command.
    package static func run(_ commands: [[String]]) throws(Failure) {
        guard !commands.isEmpty else { return }
        guard let systemctl = Command.path(of: "systemctl") else {
            throw Failure(description: "systemctl is not installed.")
        }
        for command in commands {
            let words = "systemctl \(command.joined(separator: " "))"
            let result: ProgramLaunch.Result
            do throws(Errno) {
                result = try Command.run([systemctl] + command, includingErrors: true)
            } catch {
                throw Failure(description: "\(words) could not be run: \(error).")
            }
            guard result.code == 0 else { throw Failure(description: "\(words) failed: \(result.output)") }
        }
    }

    /// Writes a file that everybody may read. The service's drop-in is removed again if it has no effect.
    func write(_ writing: Writing) throws(Failure) {
        if let directory = writing.file.lastIndex(of: "/").map({ String(writing.file[..<$0]) }) {
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
                throw Failure(description: "\(directory) cannot be created: \(Errno()).")
            }
        }
        do {
            try AtomicFile.write(writing.new.utf8, to: writing.file)
        } catch {
            throw Failure(description: "\(writing.file) cannot be written: \(error).")
        }
        if writing.file == settingsFile, let socket { try checkSettings(naming: socket) }
    }

    private func checkSettings(naming socket: String) throws(Failure) {
        let reason: String
        do {
            guard
                try Configuration.load(file: configurationFile, keeping: nil).daemon.gpsd.first?.address
                    != .unix(path: socket)
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
}
