import ArgumentParser
import LocationClient
import LocationConfiguration

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration, or have the service read it again.",
        subcommands: [Check.self, Reload.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Look for mistakes in configuration files, as the service itself does.",
            discussion: """
                Without a file it checks the service's own property list and every client declaration that it would \
                read. The service need not run.
                """)

        @Argument(
            help: ArgumentHelp("A property list: the service's own or a client's declaration.", valueName: "file"))
        var files: [String] = []

        @Option(help: ArgumentHelp("The service's property list.", valueName: "file"))
        var config = "/etc/locationd/locationd.plist"

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
            for problem in problems { Terminal.complain("\(problem)") }
            guard problems.isEmpty else { throw Exit.configuration }
            Terminal.say("No problem found.")
        }
    }

    struct Reload: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have the service read its configuration again.",
            discussion: "For root and the user that locationd runs as. What is refused leaves what was there in force.")

        @OptionGroup var service: ServiceOptions

        func run() async throws {
            try await reportingErrors {
                let problems = try await LocationServiceManager(socketPath: service.socket).reload()
                for problem in problems { Terminal.complain("Refused: \(problem.sentence)") }
                guard problems.isEmpty else { throw Exit.configuration }
                Terminal.say("The configuration is in force.")
            }
        }
    }
}
