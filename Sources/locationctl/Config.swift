import CommandLineSupport
import ArgumentParser
import LocationClient
import LocationConfiguration
import LocationInterface
import LocationModel

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration, or make the service reload it.",
        subcommands: [Check.self, Reload.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check configuration files like the service does.",
            discussion: """
                Without a file it checks the service's own property list, its drop-ins and all declarations of \
                clients. The service need not run.
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
                    problems = try Configuration.load(file: config, keeping: nil).problems
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
                "For root and the service's own user. If a file is refused, its previous version stays in force.")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await reportingErrors {
                let problems = try await LocationServiceManager(socketPath: service.socket).reload()
                try Report.end(problems, output, prefix: "Refused: ", well: "The configuration is in force.")
            }
        }
    }

    /// The common end of both commands.
    private enum Report {
        /// Prints the problems and ends with their exit code, if there are any.
        static func end(
            _ problems: [ManagerInterface.ConfigurationProblem], _ output: OutputOptions, prefix: String = "",
            well: String
        ) throws {
            switch output.format {
            case .json: Terminal.say(try LocationFormat.encode(problems))
            case .text where problems.isEmpty: Terminal.say(well)
            case .text: Terminal.complain(problems.map { prefix + $0.sentence })
            }
            guard problems.isEmpty else { throw Exit.configuration }
        }
    }
}
