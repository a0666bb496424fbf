import CommandLineSupport
import ArgumentParser
import FoundationEssentials
import Glibc
import LocationClient
import LocationConfiguration
import LocationInterface
import LocationPolicy
import LocationServiceManagement
import POSIXSupport

extension Clients {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declare a program, so that it can ask for your location.",
            discussion: """
                Writes a property list and makes the service read it. The texts are shown to the user when the program \
                asks: say what it does with the location.

                A script cannot be declared by its path, because its interpreter runs all other scripts, too. Give it a \
                unit of its own:
                  chmod +x ~/where
                  sudo locationctl clients add --user-unit where --when-in-use "Prints where I am."
                  locationctl allow --always local.where
                  systemd-run --user --unit=where --wait --pipe ~/where
                A service is never in use, so it is allowed always.
                """)

        @OptionGroup var service: ServiceOptions

        @Option(help: ArgumentHelp("The path of the program.", valueName: "path"), completion: .file())
        var executable: String?

        @Option(
            help: ArgumentHelp(
                "The unit that it runs in, of the user's service manager (with or without .service).", valueName: "name"
            ))
        var userUnit: String?

        @Option(help: ArgumentHelp("The same, of the system's service manager.", valueName: "name"))
        var systemUnit: String?

        @Option(help: ArgumentHelp("Its reason for using the location while in use.", valueName: "text"))
        var whenInUse: String

        @Option(help: ArgumentHelp("Its reason for using the location at any time, if it does.", valueName: "text"))
        var always: String?

        @Option(
            name: .customLong("recipient"),
            help: ArgumentHelp(
                "Those to whom it passes the location on, such as \"The fleet's office\"; again for another.",
                valueName: "text"))
        var recipients: [String] = []

        @Option(help: ArgumentHelp("Its identifier (default: local.NAME).", valueName: "identifier"))
        var identifier: String?

        @Option(
            help: ArgumentHelp("Its name in prompts (default: that of its file or unit).", valueName: "name"))
        var name: String?

        @Option(
            help: ArgumentHelp("The directory for the property list.", valueName: "directory"), completion: .directory)
        var directory = Self.systemDirectory

        private static let systemDirectory = "/etc/locationd/clients.d"

        @Flag(help: "Have its unit started when it has an event to receive and is not connected.")
        var launch = false

        @Flag(help: "Declare an interpreter, and so everything that it runs.")
        var everyScript = false

        @OptionGroup var output: OutputOptions

        /// The result of the command.
        private struct Result: Encodable {
            var client: String
            var executable: String?
            var userUnit: String?
            var systemUnit: String?
            var file: String
            /// True if the service has read the file.
            var isInForce: Bool
        }

        func validate() throws {
            if executable == nil, userUnit == nil, systemUnit == nil {
                throw ValidationError("Give the program with --executable or, for a script, its unit with --user-unit.")
            }
            if userUnit != nil, systemUnit != nil {
                throw ValidationError("--user-unit and --system-unit cannot be combined.")
            }
            if launch, userUnit == nil, systemUnit == nil {
                throw ValidationError("--launch needs the unit to start: add --user-unit or --system-unit.")
            }
        }

        func run() async throws {
            let match = try match()
            try await refuseSecondDeclaration(of: match)
            let baseName = Self.baseName(of: match)
            let identifier = identifier ?? "local.\(baseName)"
            let file = "\(directory)/\(identifier).plist"
            try write(declaration(of: match, identifier, name ?? baseName), to: file)
            let isInForce = await DeclarationReload.perform(file, socket: service.socket)
            let result = Result(
                client: identifier, executable: match.executable, userUnit: match.userUnit,
                systemUnit: match.systemdUnit, file: file, isInForce: isInForce)
            try output.say(result) {
                let what = [match.executable, match.userUnit, match.systemdUnit].compactMap {
                    $0?.shown(limit: 4096)
                }
                return [
                    "Declared \(what.joined(separator: " in ")) as \(identifier) in \(file.shown(limit: 4096)).",
                    ServiceSettings.row("undo", undo(identifier)),
                ]
            }
            if Self.isNeverInUse(match) {
                Terminal.complain(
                    "A service is never in use. To allow it at any time, run: locationctl allow --always \(identifier)"
                )
            }
        }

        private func declaration(of match: ClientMatch, _ identifier: String, _ name: String) -> PropertyListValue {
            let units = ["UserUnit": match.userUnit, "SystemdUnit": match.systemdUnit].compactMapValues {
                $0.map { PropertyListValue.string($0) }
            }
            var criteria = units
            criteria["Executable"] = match.executable.map { .string($0) }
            var entries: [String: PropertyListValue] = [
                "CFBundleIdentifier": .string(identifier), "CFBundleDisplayName": .string(name),
                "NSLocationWhenInUseUsageDescription": .string(whenInUse), "Match": .dictionary(criteria),
            ]
            entries["NSLocationAlwaysAndWhenInUseUsageDescription"] = always.map { .string($0) }
            if !recipients.isEmpty { entries["Recipients"] = .array(recipients.map { .string($0) }) }
            if launch { entries["Launch"] = .dictionary(units) }
            return .dictionary(entries)
        }

        /// The command that removes the declaration again.
        private func undo(_ identifier: String) -> String {
            directory == Self.systemDirectory
                ? "sudo locationctl clients remove \(identifier)"
                : "locationctl clients remove \(identifier) --directory \(directory.shown(limit: 4096))"
        }

        /// The criteria of the declaration.
        private func match() throws(LocationError) -> ClientMatch {
            var match = ClientMatch()
            match.userUnit = userUnit.map(Self.unit(named:))
            match.systemdUnit = systemUnit.map(Self.unit(named:))
            guard let executable else { return match }
            // The service compares with the path that the kernel reports, which has no symbolic links.
            guard let resolved = realpath(executable, nil) else {
                throw .refused(message: "\(executable): \(String(cString: strerror(errno)))")
            }
            defer { free(resolved) }
            let path = String(cString: resolved)
            try ExecutableCheck.verify(path)
            match.executable = path
            if match.criteria.count == 1, let interpreter = Interpreter(path: path) {
                try warn(about: interpreter, at: path)
            }
            return match
        }

        /// Refuses an interpreter without the flag for it. A flag rather than a prompt, because this command is mostly run
        /// by scripts of administrators, where a reader has to see what was declared.
        private func warn(about interpreter: Interpreter, at path: String) throws(LocationError) {
            guard everyScript else {
                throw .refused(
                    message: "This would declare all \(interpreter.programs), because \(path) runs every one of them. "
                        + "\(Interpreter.remedy)\nTo declare all of them nevertheless, add --every-script.")
            }
            Terminal.complain(
                "Warning: this declares all \(interpreter.programs) of all users, because \(path) runs every one of them."
            )
        }

        /// The unit's name with its suffix, by systemctl's rule.
        private static func unit(named name: String) -> String {
            let suffixes = [
                ".service", ".scope", ".socket", ".timer", ".target", ".slice", ".path", ".mount", ".automount",
                ".swap",
                ".device",
            ]
            return suffixes.contains(where: name.hasSuffix) ? name : name + ".service"
        }

        /// The name of the program's file, or of its unit without the suffix.
        private static func baseName(of match: ClientMatch) -> String {
            if let path = match.executable { return String(path.split(separator: "/").last ?? "program") }
            let unit = match.userUnit ?? match.systemdUnit ?? "program"
            return unit.lastIndex(of: ".").map { String(unit[..<$0]) } ?? unit
        }

        /// True if its processes are in the background, whatever the user does.
        private static func isNeverInUse(_ match: ClientMatch) -> Bool {
            guard let unit = match.userUnit else { return match.systemdUnit?.hasSuffix(".service") ?? false }
            return !ApplicationUnit.isApplication(unit: unit, slice: "app.slice")
        }

        /// Refuses to declare a program twice, because then neither declaration would count.
        private func refuseSecondDeclaration(of match: ClientMatch) async throws(LocationError) {
            // The directories of the service, if it answers, and the directory of the new file.
            let files =
                (try? await LocationServiceManager(socketPath: service.socket).clients().compactMap(\.file)) ?? []
            let others = files.compactMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } }
            let directories = Set(others).subtracting([directory]).sorted() + [directory]
            if let other = Configuration.declaration(conflictingWith: match, in: directories) {
                let what = match.executable ?? match.userUnit ?? match.systemdUnit ?? ""
                throw LocationError.refused(
                    message:
                        "\(what) is already declared, as \(other.identifier) in \(other.file). Edit or remove that file."
                )
            }
        }

        /// Creates the directory for declarations, unless it exists.
        private func makeDirectory() throws {
            guard access(directory, F_OK) != 0, errno == ENOENT else { return }
            do {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            } catch {
                throw LocationError.refused(
                    message: "\(directory) does not exist and cannot be created. \(Self.advice(of: directory))")
            }
        }

        private static func advice(of directory: String) -> String {
            geteuid() == 0 || !directory.hasPrefix("/etc/")
                ? "Choose another one with --directory." : "To fix it, run: sudo locationctl clients add …"
        }

        /// Writes the file so that the service never reads half of it, or an invalid one.
        private func write(_ declaration: PropertyListValue, to file: String) throws {
            guard access(file, F_OK) != 0 else {
                throw LocationError.refused(message: "\(file) exists. Edit it, or choose another --identifier.")
            }
            try makeDirectory()
            do {
                try AtomicFile.write(Array(declaration.document().utf8), to: file) { draft in
                    let problems = Configuration.check(file: draft).problems
                    guard problems.isEmpty else {
                        let reason = problems.map(\.message).joined(separator: "; ")
                        throw LocationError.refused(message: "\(file) was not written: \(reason)")
                    }
                }
            } catch let error as Errno {
                throw LocationError.refused(
                    message: "\(file) cannot be written: \(error). \(Self.advice(of: directory))")
            }
        }
    }
}
