import ArgumentParser
import CommandSupport
import LocationClient
import LocationInterface

@main
struct Locationctl: AsyncParsableCommand {
    static func main() async {
        Terminal.keepStandardDescriptors()
        let words = Array(CommandLine.arguments.dropFirst())
        if let complaint = CommandWords.complaint(about: words, in: Self.self) {
            Terminal.complain(["Error: " + complaint, "  See 'locationctl --help' for all commands."])
            exit(withError: ExitCode.validationFailure)
        }
        await main(words)
    }

    static let configuration = CommandConfiguration(
        commandName: "locationctl",
        abstract: "Ask the location service where you are, and look after it.",
        discussion: """
            Exit codes:
              0   it worked
              1   something else went wrong
              64  the command was not understood
              66  the file is no track that can be read
              69  the location service cannot be reached
              75  no fix came in time
              77  you, or this program, may not, or nobody answered
              78  a configuration file has a problem, or doctor found one
            """,
        version: serviceVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "Where you are:",
                subcommands: [Get.self, Watch.self, Follow.self, Map.self, Search.self, Track.self]),
            CommandGroup(
                name: "Who may know:",
                subcommands: [
                    Clients.self, Allow.self, Deny.self, Reset.self, Accuracy.self, Off.self, On.self, History.self,
                    Explain.self,
                ]),
            CommandGroup(name: "Being asked:", subcommands: [Agent.self, Prompts.self, Answer.self]),
            CommandGroup(name: "The service:", subcommands: [Status.self, Config.self, Doctor.self]),
        ])
}
