import CommandLineSupport
import ArgumentParser
import LocationConfiguration
import LocationInterface
import LocationServiceManagement

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration, make the service reload it, or set your defaults.",
        subcommands: [Check.self, Reload.self, Set.self, Unset.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check configuration files as the service does.",
            discussion: """
                Without a file it checks the service's own property list, its drop-ins and all declarations. The service \
                need not be running.
                """)

        @Argument(
            help: ArgumentHelp("A property list: the service's own or a client's declaration.", valueName: "file"),
            completion: .file())
        var files: [String] = []

        @Option(help: ArgumentHelp("The service's property list.", valueName: "file"), completion: .file())
        var config = "/etc/locationd/locationd.plist"

        @OptionGroup var output: OutputOptions

        func run() throws {
            let problems: [ConfigurationProblem]
            if files.isEmpty {
                do {
                    let configuration = try Configuration.load(leavingOutUnreadable: config)
                    problems = configuration.problems
                    Terminal.complain(configuration.unreadableDropIns.map { "\($0.shown()): not checked: needs root" })
                } catch {
                    problems = error.problems
                }
            } else {
                problems = files.flatMap { Configuration.check(file: $0).problems }
            }
            try Report.end(
                problems.map { .init(file: $0.file, line: $0.line, keyPath: $0.keyPath, message: $0.message) },
                output, well: "No problems found.")
        }
    }

    struct Reload: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the service reload its configuration.",
            discussion:
                "Only for root and the service's own user. If a file is refused, its previous version stays in force.")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let problems = try await LocationServiceManager(socketPath: service.socket).reload()
            try Report.end(problems, output, prefix: "Refused: ", well: "The configuration is in force.")
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set your default units, or notation of coordinates.",
            discussion: """
                The names and values: units metric, imperial or nautical; coordinates decimal, ddm or dms. As root it sets them \
                for all users.
                """)

        @Argument(
            help: ArgumentHelp("units or coordinates", valueName: "name"), completion: .list(["units", "coordinates"]))
        var name: SettingsFile.Name

        @Argument(help: ArgumentHelp("Its value.", valueName: "value"))
        var value: String

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard let values = name.values else { throw Config.findings }
            guard values.contains(value) else {
                throw ValidationError("\(name.rawValue) is one of \(values.joined(separator: ", ")).")
            }
        }

        func run() async throws {
            try UserSettings.change { $0.set(name, to: value) }
            try output.say(["name": name.rawValue, "value": value, "file": UserSettings.path]) {
                ["\(name.rawValue) = \(value), in \(UserSettings.path)."]
            }
        }
    }

    struct Unset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a default that config set has set.",
            discussion: "As root it removes the one for all users.")

        @Argument(
            help: ArgumentHelp("units or coordinates", valueName: "name"), completion: .list(["units", "coordinates"]))
        var name: SettingsFile.Name

        @OptionGroup var output: OutputOptions

        /// The result of the command.
        private struct Result: Encodable {
            var name: String
            var file: String
            /// False if it was not set.
            var isChanged: Bool
        }

        func validate() throws {
            guard name.values != nil else { throw Config.findings }
        }

        func run() async throws {
            var isChanged = false
            try UserSettings.change { isChanged = $0.remove(name) { _ in true } }
            try output.say(Result(name: name.rawValue, file: UserSettings.path, isChanged: isChanged)) {
                [
                    isChanged
                        ? "\(name.rawValue) is no longer set in \(UserSettings.path)."
                        : "\(name.rawValue) was not set in \(UserSettings.path), and nothing was changed."
                ]
            }
        }
    }

    /// The error for the setting that doctor makes.
    private static let findings = ValidationError(
        "Findings are accepted with: locationctl doctor --accept FINDING, and no longer with --unaccept FINDING.")

    /// The common end of both commands.
    private enum Report {
        /// Prints the problems and ends with their exit code, if there are any.
        static func end(
            _ problems: [ManagerInterface.ConfigurationProblem], _ output: OutputOptions, prefix: String = "",
            well: String
        ) throws {
            switch output.format {
            case .json: Terminal.say(try JSONLine.encode(problems))
            case .text where problems.isEmpty: Terminal.say(well)
            case .text: Terminal.complain(problems.map { prefix + $0.sentence })
            }
            guard problems.isEmpty else { throw Exit.configuration }
        }
    }
}

extension SettingsFile.Name: ExpressibleByArgument {}
